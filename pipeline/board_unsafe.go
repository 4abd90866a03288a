package pipeline

import "unsafe"

// board gives the words of a rank's board their types.
type board struct {
	bytes []byte
	lines [2]*line
	stage *uint64
	// probe is the address of a word of private memory, there once probed is 1.
	probe, probed *uint64
}

// newBoard views b, which begins on a page boundary.
func newBoard(b []byte) board {
	at := func(off int) unsafe.Pointer { return unsafe.Pointer(&b[off]) }
	return board{bytes: b, lines: [2]*line{(*line)(at(0)), (*line)(at(lineStride))}, stage: (*uint64)(at(boardStage)),
		probe: (*uint64)(at(boardProbe)), probed: (*uint64)(at(boardProbe + 8))}
}

// payload is the line's room as bytes.
func (l *line) payload() []byte { return (*[lineRoom]byte)(unsafe.Pointer(&l.room))[:] }

// addressOf is the virtual address of the first byte of b, 0 for none: what a
// rank that cannot be addressed tells those that have the kernel copy.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
