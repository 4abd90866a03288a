package rendezvous

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// maxGets is how many Gets of one client may wait at the server.
const maxGets = 64

// session is the server's end of one client's connection. The goroutine in run
// reads; each Get that waits has a goroutine of its own; all of them write.
type session struct {
	server *Server
	conn   net.Conn
	ctx    context.Context // ends with the session
	end    context.CancelFunc
	gets   sync.WaitGroup

	mu      sync.Mutex
	waiting map[uint32]context.CancelFunc // Gets without an answer, by id
	leaving bool                          // no Get starts any more
	will    *frame                        // owned by run

	write sync.Mutex // one frame at a time
}

func newSession(s *Server, conn net.Conn) *session {
	ctx, end := context.WithCancel(context.Background())
	return &session{server: s, conn: conn, ctx: ctx, end: end, waiting: make(map[uint32]context.CancelFunc)}
}

// errBye is how a session ends when its client closes.
var errBye = errors.New("goodbye")

// run answers the client's frames until either side ends, and executes the will
// of a client that ended without goodbye.
func (s *session) run() {
	err := s.answerAll()
	if errors.Is(err, errFrame) {
		s.drop(err)
	}
	s.end()
	s.conn.Close()
	s.gets.Wait()
	if err == errBye || s.server.isClosing() {
		return
	}
	if err == io.EOF {
		err = errors.New("it ended without goodbye")
	}
	s.server.config.Log.Warn("rendezvous store lost a client", "remote", s.conn.RemoteAddr(), "reason", err, "will", s.will != nil)
	if s.will != nil {
		s.server.table.put(s.will.key, s.will.value) // first Put wins; no heir is told if the store is full
	}
}

// drop tells the client why the server hangs up on it, and waits until it has.
func (s *session) drop(reason error) {
	s.send(frame{op: opDrop, value: []byte(reason.Error())})
	hangUp(s.conn)
	io.Copy(io.Discard, s.conn) // so that the client can read why; until hangUp's deadline
}

// answerAll reads and answers until the connection ends.
func (s *session) answerAll() error {
	r := bufio.NewReader(s.conn)
	for {
		f, err := s.receive(r)
		if err != nil {
			return err
		}
		if err := s.answer(f); err != nil {
			return err
		}
	}
}

// receive reads a frame. The client may be silent for as long as it likes, but
// what a header announces must follow soon.
func (s *session) receive(r io.Reader) (frame, error) {
	h, err := readHeader(r)
	if err != nil {
		return frame{}, err
	}
	s.conn.SetReadDeadline(time.Now().Add(s.server.config.bodyTimeout))
	f, err := h.readBody(r)
	s.conn.SetReadDeadline(time.Time{}) // goodbye has its own bound
	return f, err
}

// answer does what f asks. An error ends the session.
func (s *session) answer(f frame) error {
	table := s.server.table
	switch f.op {
	case opPut:
		stored, err := table.put(f.key, f.value)
		return s.reply(f.id, stored, err)
	case opGet:
		return s.startGet(f)
	case opCancel:
		if cancel := s.takeGet(f.id); cancel != nil {
			cancel()
		}
		return nil
	case opList:
		keys, err := table.list(f.key)
		if err != nil {
			return s.reply(f.id, nil, err)
		}
		packed, err := packKeys(keys)
		return s.reply(f.id, packed, err)
	case opWill:
		err := checkPut(f.key, f.value)
		if err == nil {
			s.will = &f
		}
		return s.reply(f.id, nil, err)
	case opBye:
		return errBye
	}
	return fmt.Errorf("%w: op %d from a client", errFrame, f.op)
}

// startGet waits for f.key beside the session.
func (s *session) startGet(f frame) error {
	if err := checkKey(f.key); err != nil {
		return s.reply(f.id, nil, err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	n, twice, leaving := len(s.waiting), s.waiting[f.id] != nil, s.leaving
	start := n < maxGets && !twice && !leaving
	if start {
		s.waiting[f.id] = cancel
		s.gets.Add(1)
	}
	s.mu.Unlock()
	switch {
	case leaving:
		cancel()
		return nil // goodbye answers it
	case !start:
		cancel()
		return fmt.Errorf("%w: get %d while %d wait, at most %d, each with its own id", errFrame, f.id, n, maxGets)
	}
	go func() {
		defer s.gets.Done()
		defer cancel()
		value, err := s.server.table.get(ctx, nil, f.key)
		if s.takeGet(f.id) != nil && ctx.Err() == nil { // else nobody waits any more
			s.reply(f.id, value, err)
		}
	}()
	return nil
}

// takeGet ends the waiting of a Get and returns what cancels it, or nil if it
// does not wait.
func (s *session) takeGet(id uint32) context.CancelFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel := s.waiting[id]
	delete(s.waiting, id)
	return cancel
}

// reply answers the ask of id with value, or with err if that is the asker's
// fault. An error ends the session.
func (s *session) reply(id uint32, value []byte, err error) error {
	switch {
	case err == nil:
		return s.send(frame{id: id, op: opOK, value: value})
	case errors.Is(err, ErrTooLarge):
		return s.send(frame{id: id, op: opFail, value: []byte(err.Error())})
	case errors.Is(err, ErrClosed):
		return nil // goodbye answers it
	}
	return fmt.Errorf("%w: %w", errFrame, err)
}

// send writes one frame. A client that takes nothing for silenceLimit is lost.
func (s *session) send(f frame) error {
	s.write.Lock()
	defer s.write.Unlock()
	s.conn.SetWriteDeadline(time.Now().Add(silenceLimit))
	_, err := s.conn.Write(appendFrame(nil, f))
	if err != nil {
		s.conn.Close() // a half-written frame: nothing can follow it
	}
	return err
}

// goodbye tells the client that the server closes, once every Get whose key is
// there has its answer. run ends when the client has hung up, or soon after if
// it does not.
func (s *session) goodbye() {
	time.AfterFunc(goodbyeTime, func() { s.conn.Close() }) // whatever a stuck client keeps us from
	s.mu.Lock()
	s.leaving = true
	s.mu.Unlock()
	s.gets.Wait() // the table is closed: none waits for a key any more
	s.write.Lock()
	defer s.write.Unlock()
	s.conn.SetWriteDeadline(time.Now().Add(goodbyeTime))
	if _, err := s.conn.Write(appendFrame(nil, frame{op: opClosed})); err != nil {
		s.conn.Close()
		return
	}
	hangUp(s.conn)
}
