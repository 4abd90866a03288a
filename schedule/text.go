package schedule

import "strconv"

// version is the first line of every plan's text.
const version = "ringo schedule 1"

// String returns p's text, also where p is ill-formed and [Parse] would not read
// it back:
//
//	ringo schedule 1
//	allreduce ring ranks 2 chunks 2
//	rank 0
//	  send 1:2 to 1
//	  recvreduce 0:1 from 1
//	  finish 0:1
//	  ...
//
// The first line names the format and its version, the second is the plan's head,
// which for a broadcast ends in "root N".
// Then come the ranks, ascending, each with its steps, one to a line. Equal plans
// have equal texts.
func (p Plan) String() string { return string(p.appendTo(nil)) }

// AppendText implements [encoding.TextAppender]: it appends what [Plan.String]
// returns. It fails when p is ill-formed, so what it appends can be parsed.
func (p Plan) AppendText(b []byte) ([]byte, error) {
	if err := p.shape(); err != nil {
		return b, err
	}
	return p.appendTo(b), nil
}

// MarshalText implements [encoding.TextMarshaler] like [Plan.AppendText].
func (p Plan) MarshalText() ([]byte, error) { return p.AppendText(nil) }

// appendTo appends the text of p to b.
func (p *Plan) appendTo(b []byte) []byte {
	b = append(b, version...)
	b = append(b, '\n')
	b = append(b, p.Collective.String()...)
	b = append(b, ' ')
	b = append(b, p.Name...)
	b = append(b, " ranks "...)
	b = strconv.AppendInt(b, int64(p.Ranks), 10)
	b = append(b, " chunks "...)
	b = strconv.AppendInt(b, int64(p.Chunks), 10)
	if p.Collective == Broadcast {
		b = append(b, " root "...)
		b = strconv.AppendInt(b, int64(p.Root), 10)
	}
	b = append(b, '\n')
	for r, steps := range p.Steps {
		b = append(b, "rank "...)
		b = strconv.AppendInt(b, int64(r), 10)
		b = append(b, '\n')
		for _, s := range steps {
			b = append(b, "  "...)
			b = s.append(b)
			b = append(b, '\n')
		}
	}
	return b
}
