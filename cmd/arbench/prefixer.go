package main

import (
	"bytes"
	"io"
)

// prefixer writes whole lines to another writer, each behind a prefix.
type prefixer struct {
	to     io.Writer
	prefix string
	rest   []byte // a line that has not ended yet
}

// Write never fails: lines that cannot be written are lost.
func (p *prefixer) Write(b []byte) (int, error) {
	n := len(b)
	for {
		line, after, ended := bytes.Cut(b, []byte("\n"))
		p.rest = append(p.rest, line...)
		if !ended {
			return n, nil
		}
		p.line()
		b = after
	}
}

// flush writes a last line that did not end.
func (p *prefixer) flush() {
	if len(p.rest) > 0 {
		p.line()
	}
}

func (p *prefixer) line() {
	_, _ = io.WriteString(p.to, p.prefix+string(p.rest)+"\n")
	p.rest = p.rest[:0]
}
