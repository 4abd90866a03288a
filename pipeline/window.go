package pipeline

// windowsInFlight bounds the windows that have begun and not ended.
const windowsInFlight = 4

// Where a unit's current value lies: in scratch slot place >= 0, or
const (
	inSource int16 = -1 // untouched, in the source buffer
	inResult int16 = -2 // in the result buffer
	nowhere  int16 = -3 // of an accumulator: empty
	inPeers  int16 = -4 // of an accumulator: in the memory of rank inPeers - place
)

// window is the state of one window in flight: for every op a bit for each of
// its units, and for every chunk where its units' values lie.
type window struct {
	number  int
	left    int     // units of ops not done yet
	done    []uint8 // by op: bit u is unit u
	arrived []uint8 // by op: units received and not reduced yet
	slot    []int16 // by op*windowUnits+u: the slot it was received into
	place   []int16 // by chunk*windowUnits+u
	acc     []int16 // the same for accumulators
}

// windows are those in flight, by number modulo windowsInFlight.
type windows [windowsInFlight]*window

func newWindows(f *flow, chunks int) *windows {
	var ws windows
	for i := range ws {
		ws[i] = newWindow(f, chunks)
	}
	return &ws
}

const allUnits = 1<<windowUnits - 1

func newWindow(f *flow, chunks int) *window {
	return &window{
		done:    make([]uint8, len(f.ops)),
		arrived: make([]uint8, len(f.ops)),
		slot:    make([]int16, len(f.ops)*windowUnits),
		place:   make([]int16, chunks*windowUnits),
		acc:     make([]int16, chunks*windowUnits),
	}
}

// begin readies w for window number of a message: units that the chunk is too
// short for count as done.
func (w *window) begin(f *flow, p *partition, number int) {
	w.number, w.left = number, 0
	clear(w.arrived)
	for i := range w.place {
		w.place[i], w.acc[i] = inSource, nowhere
	}
	for _, chunk := range f.stored {
		for u := range windowUnits {
			*w.placeOf(chunk, u) = inResult
		}
	}
	for i := range f.ops {
		w.done[i] = allUnits
		for u := range windowUnits {
			if _, n := p.unit(int(f.ops[i].chunk), number, u); n > 0 {
				w.done[i] &^= 1 << u
				w.left++
			}
		}
	}
}

// ready says that every op that op o waits for has done unit u.
func (w *window) ready(o *op, u int) bool {
	for _, d := range o.deps {
		if w.done[d]>>u&1 == 0 {
			return false
		}
	}
	return true
}

func (w *window) placeOf(chunk int32, u int) *int16 { return &w.place[int(chunk)*windowUnits+u] }

func (w *window) accOf(chunk int32, u int) *int16 { return &w.acc[int(chunk)*windowUnits+u] }

func (w *window) slotOf(i int32, u int) *int16 { return &w.slot[int(i)*windowUnits+u] }

// ticket packs what a completion must say into a request's ID.
type ticket uint64

type ticketKind uint8

const (
	sentUnit ticketKind = iota
	gotUnit
	sentStamp
	gotStamp
)

// unitTicket names unit u of op i in window w. Windows in flight are few, so
// their number modulo windowsInFlight tells them apart.
func unitTicket(kind ticketKind, w int, i int32, u int) uint64 {
	return uint64(kind) | uint64(u)<<8 | uint64(w%windowsInFlight)<<16 | uint64(i)<<32
}

func stampTicket(kind ticketKind, channel int) uint64 { return uint64(kind) | uint64(channel)<<32 }

func (t ticket) kind() ticketKind { return ticketKind(t) }
func (t ticket) unit() int        { return int(t >> 8 & 0xff) }
func (t ticket) window() int      { return int(t >> 16 & 0xff) }
func (t ticket) index() int32     { return int32(t >> 32) }
