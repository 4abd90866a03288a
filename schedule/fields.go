package schedule

import "bytes"

// fields takes a line apart from left to right. After the first mismatch it is
// bad and yields zero values.
type fields struct {
	line []byte
	bad  bool
}

// word skips w.
func (f *fields) word(w string) {
	rest, ok := bytes.CutPrefix(f.line, []byte(w))
	f.line, f.bad = rest, f.bad || !ok
}

// upTo returns what stands before the next sep, at most most bytes, and skips
// both. The end of the line is matched by an empty sep.
func (f *fields) upTo(sep string, most int) string {
	end := len(f.line)
	if sep != "" {
		end = bytes.Index(f.line[:min(len(f.line), most+len(sep))], []byte(sep))
	}
	if f.bad || end < 0 || end > most {
		f.bad = true
		return ""
	}
	s := f.line[:end]
	f.line = f.line[end+len(sep):]
	return string(s)
}

// number reads a number as strconv writes it, at most 9 digits, and skips the sep
// that follows it.
func (f *fields) number(sep string) int {
	digits := f.upTo(sep, 9)
	n := 0
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			f.bad = true
			return 0
		}
		n = 10*n + int(d-'0')
	}
	if digits == "" || digits[0] == '0' && len(digits) > 1 {
		f.bad = true
		return 0
	}
	return n
}
