package rendezvous

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestFrameRoundTrip(t *testing.T) {
	for _, f := range []frame{
		{id: 1, op: opPut, key: "k", value: []byte("v")},
		{id: 1<<32 - 1, op: opClosed, value: []byte{}},
		{op: opWill, key: strings.Repeat("k", MaxKey), value: make([]byte, MaxValue)},
	} {
		got, err := readFrame(bytes.NewReader(appendFrame(nil, f)))
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Errorf("op %d: %v", f.op, err)
		}
	}
}

func TestFrameLimits(t *testing.T) {
	header := func(op, reserved, keyHi, keyLo, v3, v2 byte) []byte {
		return []byte{0, 0, 0, 1, op, reserved, keyHi, keyLo, v3, v2, 0, 0}
	}
	for name, b := range map[string][]byte{
		"op 0":        header(0, 0, 0, 0, 0, 0),
		"op unknown":  header(byte(opEnd), 0, 0, 0, 0, 0),
		"reserved":    header(1, 1, 0, 0, 0, 0),
		"long key":    header(1, 0, 1, 1, 0, 0),
		"large value": header(1, 0, 0, 1, 0xff, 0xff),
	} {
		if _, err := readFrame(bytes.NewReader(b)); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFrameCutShort(t *testing.T) {
	whole := appendFrame(nil, frame{op: opPut, key: "key", value: []byte("value")})
	for n := range whole {
		_, err := readFrame(bytes.NewReader(whole[:n]))
		if err == nil || n > 0 && err == io.EOF {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestLongListIsRefused(t *testing.T) {
	keys := slices.Repeat([]string{strings.Repeat("k", MaxKey)}, MaxValue/MaxKey)
	if _, err := packKeys(keys); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(appendFrame(nil, frame{id: 7, op: opPut, key: "k", value: []byte("v")}))
	f.Add([]byte{0, 0, 0, 1, 1, 0, 1, 1, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readFrame(bytes.NewReader(b))
		if err != nil {
			return
		}
		if again := appendFrame(nil, got); !bytes.Equal(again, b[:len(again)]) {
			t.Fatalf("%x reads as %x", b, again)
		}
	})
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x00\x01a\x00\x02bc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		keys, err := unpackKeys(b)
		if err != nil {
			return
		}
		if again, err := packKeys(keys); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x reads as %q, %v", b, keys, err)
		}
	})
}

func FuzzMember(f *testing.F) {
	f.Add(newMember(8, "host pid 1", []byte("value")).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMember(b)
		if err == nil && !bytes.Equal(m.encode(), b) {
			t.Fatalf("%x reads as %+v", b, m)
		}
	})
}

func FuzzFileName(f *testing.F) {
	f.Add("../a/b.c", "%2E%2E")
	f.Add(strings.Repeat("k", 250), "%")
	f.Fuzz(func(t *testing.T, key, path string) {
		if checkKey(key) == nil {
			name := fileName(key)
			if got, ok := fileKey(name); !ok || got != key {
				t.Fatalf("%q is stored as %q, which reads as %q", key, name, got)
			}
			for piece := range strings.SplitSeq(name, "/") {
				if len(piece) > 255 || piece == "" || piece[0] == '.' {
					t.Fatalf("%q is stored as %q", key, name)
				}
			}
		}
		if key, ok := fileKey(path); ok && fileName(key) != path {
			t.Fatalf("%q reads as %q", path, key)
		}
	})
}
