package wire

import (
	"bytes"
	"errors"
	"testing"
)

func TestFrameRoundTrip(t *testing.T) {
	for _, f := range []Frame{
		{Kind: Data, Job: 7, Seq: 1, Tag: 2, Len: 0},
		{Kind: Data, Job: 7, Seq: 1<<32 - 1, Tag: 1<<32 - 1, Len: MaxPayload},
		{Kind: Bye, Job: 7},
		{Kind: Truncated, Job: 7, Tag: 9},
	} {
		var b [FrameSize]byte
		f.Put(b[:])
		got, err := ParseFrame(b[:], 7)
		if err != nil || got != f {
			t.Errorf("round trip of %+v gave %+v, %v", f, got, err)
		}
	}
}

func TestFrameRefuses(t *testing.T) {
	var good [FrameSize]byte
	Frame{Kind: Data, Job: 7, Len: 5}.Put(good[:])
	if _, err := ParseFrame(good[:], 8); !errors.Is(err, ErrMalformed) {
		t.Errorf("another job's frame: %v", err)
	}
	for _, i := range []int{0, 1, 2, 3, 4, 5, 6, 7, 27, 28, 31} {
		b := good
		b[i] ^= 0x80
		if f, err := ParseFrame(b[:], 7); err == nil {
			t.Errorf("byte %d changed, still parsed as %+v", i, f)
		}
	}
	b := good
	b[5] = byte(Bye)
	if _, err := ParseFrame(b[:], 7); err == nil {
		t.Error("a bye with a payload was parsed")
	}
}

func TestHello(t *testing.T) {
	h := Hello{Job: 3, Ranks: 4, From: 1, To: 2, Lane: 5}
	var b [HelloSize]byte
	h.Put(b[:])
	got, err := ParseHello(b[:])
	if err != nil || got != h {
		t.Fatalf("round trip gave %+v, %v", got, err)
	}
	if v := h.Judge(3, 2, 4); v != Accepted {
		t.Errorf("right rank: %v", v)
	}
	if v := h.Judge(4, 2, 4); v != WrongJob {
		t.Errorf("other job: %v", v)
	}
	if v := h.Judge(3, 1, 4); v != WrongRank {
		t.Errorf("other rank: %v", v)
	}
	for _, bad := range []Hello{{Ranks: 4, From: 4, To: 1}, {Ranks: 4, From: 1, To: 4}, {Ranks: 4, From: 1, To: 1}} {
		bad.Put(b[:])
		if _, err := ParseHello(b[:]); !errors.Is(err, ErrMalformed) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	f := Fingerprint{Seq: 812, Count: 1 << 40, Plan: 99, Collective: 1, Type: 9, Op: OpName("sum")}
	var b [FingerprintSize]byte
	f.Put(b[:])
	got, err := ParseFingerprint(b[:])
	if err != nil || got != f || got.OpString() != "sum" {
		t.Fatalf("round trip gave %+v, %v", got, err)
	}
	b[4]++
	if _, err := ParseFingerprint(b[:]); !errors.Is(err, ErrMalformed) {
		t.Errorf("other version: %v", err)
	}
}

func FuzzParseFrame(f *testing.F) {
	var b [FrameSize]byte
	Frame{Kind: Data, Job: 7, Len: 5}.Put(b[:])
	f.Add(b[:])
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < FrameSize {
			return
		}
		fr, err := ParseFrame(in, 7)
		if err != nil {
			return
		}
		var out [FrameSize]byte
		fr.Put(out[:])
		if !bytes.Equal(out[:], in[:FrameSize]) {
			t.Fatalf("parsed %x, encodes as %x", in[:FrameSize], out)
		}
	})
}

func FuzzParseHello(f *testing.F) {
	var b [HelloSize]byte
	Hello{Job: 7, Ranks: 2, From: 1}.Put(b[:])
	f.Add(b[:])
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < HelloSize {
			return
		}
		h, err := ParseHello(in)
		if err != nil {
			return
		}
		var out [HelloSize]byte
		h.Put(out[:])
		if !bytes.Equal(out[:], in[:HelloSize]) {
			t.Fatalf("parsed %x, encodes as %x", in[:HelloSize], out)
		}
	})
}

func FuzzParseFingerprint(f *testing.F) {
	var b [FingerprintSize]byte
	Fingerprint{Seq: 7, Op: OpName("max")}.Put(b[:])
	f.Add(b[:])
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < FingerprintSize {
			return
		}
		fp, err := ParseFingerprint(in)
		if err != nil {
			return
		}
		var out [FingerprintSize]byte
		fp.Put(out[:])
		again, err := ParseFingerprint(out[:])
		if err != nil || again != fp {
			t.Fatalf("parsed %+v, again %+v, %v", fp, again, err)
		}
	})
}
