package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

const (
	// maxStrangers bounds the connections that have proved nothing yet.
	maxStrangers = 64
	// handshakeTimeout is how long one of them may take.
	handshakeTimeout = 5 * time.Second
)

// listener owns the rank's listening socket. One goroutine accepts; each
// connection proves itself in a goroutine of its own, at most maxStrangers at a
// time and handshakeTimeout long.
type listener struct {
	t     *Transport
	l     net.Listener
	addr  string
	ready chan *conn // proved, waiting for a verdict
	quit  chan struct{}
	wg    sync.WaitGroup
	slots chan struct{}

	mu    sync.Mutex
	seen  map[transport.Peer]bool
	close sync.Once
}

// Serve accepts connections from nl, which it closes in the end. addr is what
// other ranks dial.
func (t *Transport) Serve(nl net.Listener, addr string) (transport.Listener, error) {
	l := &listener{t: t, l: nl, addr: addr, ready: make(chan *conn), quit: make(chan struct{}),
		slots: make(chan struct{}, maxStrangers), seen: map[transport.Peer]bool{}}
	if !t.track(l) {
		nl.Close()
		return nil, t.OpError("listen", -1, transport.ErrClosed)
	}
	l.wg.Add(1)
	go l.acceptLoop()
	return l, nil
}

func (l *listener) Addr() string { return l.addr }

func (l *listener) Accept(ctx context.Context) (transport.Conn, error) {
	select {
	case c := <-l.ready:
		c.notifyVerdict(wire.Accepted)
		return c, l.t.add(c)
	case <-ctx.Done():
		return nil, l.t.OpError("accept", -1, context.Cause(ctx))
	case <-l.quit:
		return nil, l.t.OpError("accept", -1, transport.ErrClosed)
	}
}

func (l *listener) Close() error {
	var err error
	l.close.Do(func() {
		close(l.quit)
		err = l.l.Close()
	})
	l.wg.Wait()
	l.t.untrack(l)
	return err
}

func (l *listener) acceptLoop() {
	defer l.wg.Done()
	for {
		nc, err := l.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, or the peer is gone already
			l.t.log.Warn(l.t.cfg.Name+": accept failed", "err", err)
			select {
			case <-time.After(50 * time.Millisecond):
				continue
			case <-l.quit:
				return
			}
		}
		select {
		case l.slots <- struct{}{}:
		default:
			l.t.log.Warn(l.t.cfg.Name+": connection refused: too many at once have not proved who they are", "from", nc.RemoteAddr(), "limit", maxStrangers)
			nc.Close()
			continue
		}
		l.wg.Add(1)
		go func() {
			defer l.wg.Done()
			l.greet(nc, func() { <-l.slots })
		}()
	}
}

// greet lets one connection prove itself, and hands it to Accept or closes it.
// It calls proved when the connection is a stranger's no more.
func (l *listener) greet(nc net.Conn, proved func()) {
	stop := make(chan struct{})
	defer close(stop)
	go func() { // closing the listener ends a handshake at once
		select {
		case <-l.quit:
			nc.Close()
		case <-stop:
		}
	}()
	peer, err := l.handshake(nc)
	proved()
	if err != nil {
		l.refuse(nc, err)
		return
	}
	if peer.Lane >= DivertFrom {
		l.divert(nc, peer)
		return
	}
	c, err := newConn(l.t, nc, peer)
	if err != nil {
		l.forget(peer)
		l.refuse(nc, err)
		return
	}
	select {
	case l.ready <- c:
	case <-l.quit:
		c.abandon()
	}
}

// Accept tells the dialer of a diverted connection that it is wanted.
func Accept(nc net.Conn) { nc.Write([]byte{byte(wire.Accepted)}) }

// divert hands a connection that is not an ordinary one to who wants it.
func (l *listener) divert(nc net.Conn, peer transport.Peer) {
	if l.t.cfg.Divert == nil || !l.t.cfg.Divert(nc, peer) {
		l.forget(peer)
		l.refuse(nc, fmt.Errorf("%w: nobody wants lane %d", transport.ErrInvalid, peer.Lane))
	}
}

func (l *listener) refuse(nc net.Conn, err error) {
	nc.Close()
	select {
	case <-l.quit: // our own closing, not the stranger's fault
	default:
		l.t.log.LogAttrs(context.Background(), slog.LevelWarn, l.t.cfg.Name+": connection refused",
			slog.Any("from", nc.RemoteAddr()), slog.Int("rank", l.t.id.Rank), slog.String("reason", err.Error()))
	}
}

// handshake reads nothing but fixed-size messages.
func (l *listener) handshake(nc net.Conn) (transport.Peer, error) {
	nc.SetDeadline(time.Now().Add(handshakeTimeout))
	if l.t.cfg.Vet != nil {
		if err := l.t.cfg.Vet(nc); err != nil {
			return transport.Peer{}, err
		}
	}
	if err := auth.Server(nc, l.t.cfg.Purpose, l.t.id.Token); err != nil {
		return transport.Peer{}, err
	}
	var b [wire.HelloSize]byte
	if err := readFull(nc, b[:]); err != nil {
		return transport.Peer{}, err
	}
	h, err := wire.ParseHello(b[:])
	if err != nil {
		return transport.Peer{}, err
	}
	peer := transport.Peer{Rank: int(h.From), Lane: int(h.Lane)}
	v := h.Judge(l.t.id.Job, l.t.id.Rank, l.t.id.Ranks)
	if v == wire.Accepted && !l.claim(peer) {
		v = wire.Taken
	}
	if v != wire.Accepted {
		nc.Write([]byte{byte(v)})
		return peer, fmt.Errorf("rank %d of job %#x dialed rank %d, but %v", h.From, h.Job, h.To, v)
	}
	return peer, nc.SetDeadline(time.Time{})
}

func (l *listener) claim(p transport.Peer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[p] {
		return false
	}
	l.seen[p] = true
	return true
}

func (l *listener) forget(p transport.Peer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, p)
}
