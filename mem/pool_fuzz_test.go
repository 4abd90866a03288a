package mem_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
)

// FuzzPool plays a script of one byte per step: odd bytes release a slot, even
// ones get one. Live slots never share a byte and keep what was written to
// them, the books are right at each step, and in the end all memory is whole.
func FuzzPool(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte(rng.Uint32())
		}
		f.Add(script)
	}
	f.Fuzz(playScript)
}

// held is a slot that the script holds, and the byte it is filled with.
type held struct {
	slot *mem.Slot
	mark byte
}

func playScript(t *testing.T, script []byte) {
	const limit = 3*mem.MaxSlot/2 + 100
	p := mem.NewPool(mem.PoolConfig{Limit: limit, Pin: mem.PinNever})
	var live []held
	for i, b := range script {
		if b%2 == 1 && len(live) > 0 {
			k := int(b/2) % len(live)
			live[k].giveBack(t)
			live[k] = live[len(live)-1]
			live = live[:len(live)-1]
		} else if s, err := p.Get(scriptSize(b, i)); err == nil {
			live = append(live, hold(t, live, s, byte(i)))
		} else if !errors.Is(err, mem.ErrPoolExhausted) {
			t.Fatal(err)
		}
		st := p.Stats()
		if st.Slots != len(live) || st.InUse > st.Mapped || st.Mapped > limit || st.Peak < st.InUse {
			t.Fatalf("step %d: %d slots live, stats %+v", i, len(live), st)
		}
	}
	for _, h := range live {
		h.giveBack(t)
	}
	get(t, p, mem.MaxSlot).Release() // all halves are whole again
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// scriptSize spreads sizes over all powers of two and between them.
func scriptSize(b byte, i int) int {
	return min(mem.MaxSlot, 1<<(b/2%23)+i*31)
}

// hold checks that s is apart from all of live, and marks its ends.
func hold(t *testing.T, live []held, s *mem.Slot, mark byte) held {
	for _, l := range live {
		if mem.Overlap(l.slot.Memory(), s.Memory()) {
			t.Fatalf("slot [%d,+%d) overlaps slot [%d,+%d)",
				s.Offset(), s.Memory().Len(), l.slot.Offset(), l.slot.Memory().Len())
		}
	}
	b := s.Bytes()
	b[0], b[len(b)-1] = mark, mark
	return held{s, mark}
}

// giveBack releases the slot after a look at its marks.
func (h held) giveBack(t *testing.T) {
	b := h.slot.Bytes()
	if b[0] != h.mark || b[len(b)-1] != h.mark {
		t.Fatalf("slot [%d,+%d) lost what was written to it", h.slot.Offset(), len(b))
	}
	h.slot.Release()
}
