package rendezvous

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// client is a rank's end of a TCP store. One goroutine reads, one writes; calls
// post their frames to the writer and wait for the reader.
type client struct {
	conn net.Conn
	addr string        // as it was dialled, for errors
	out  chan frame    // to the writer
	gets chan struct{} // one for each Get that waits at the server
	done chan struct{} // closed when the client ends, after err is set
	err  error

	reader, writer sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	nextID  uint32
	pending map[uint32]chan frame // answers not yet there, by id
}

// newClient takes over conn, which has passed the handshake.
func newClient(conn net.Conn, addr string) *client {
	c := &client{
		conn:    conn,
		addr:    addr,
		out:     make(chan frame),
		gets:    make(chan struct{}, maxGets),
		done:    make(chan struct{}),
		pending: make(map[uint32]chan frame),
	}
	c.reader.Go(c.read)
	c.writer.Go(c.write)
	return c
}

// Put is Store.Put.
func (c *client) Put(ctx context.Context, key string, value []byte) ([]byte, error) {
	if err := checkPut(key, value); err != nil {
		return nil, err
	}
	answer, _, err := c.ask(ctx, frame{op: opPut, key: key, value: value})
	return answer.value, c.explain("put", key, err)
}

// Get is Store.Get. More than 64 at a time wait here for one another.
func (c *client) Get(ctx context.Context, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	select {
	case c.gets <- struct{}{}:
	case <-ctx.Done():
		return nil, c.explain("waiting for", key, ctx.Err())
	case <-c.done:
		return nil, c.explain("waiting for", key, c.err)
	}
	answer, id, err := c.ask(ctx, frame{op: opGet, key: key})
	if err != nil && ctx.Err() != nil {
		go c.cancel(id) // the place is free when the server knows
	} else {
		<-c.gets
	}
	return answer.value, c.explain("waiting for", key, err)
}

// cancel tells the server that nobody waits for the Get of id any more.
func (c *client) cancel(id uint32) {
	select {
	case c.out <- frame{id: id, op: opCancel}:
	case <-c.done:
	}
	<-c.gets
}

// List is Store.List.
func (c *client) List(ctx context.Context, prefix string) ([]string, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	answer, _, err := c.ask(ctx, frame{op: opList, key: prefix})
	if err != nil {
		return nil, c.explain("list", prefix, err)
	}
	return unpackKeys(answer.value)
}

// Will is Store.Will.
func (c *client) Will(ctx context.Context, key string, value []byte) error {
	if err := checkPut(key, value); err != nil {
		return err
	}
	_, _, err := c.ask(ctx, frame{op: opWill, key: key, value: value})
	return c.explain("leave a will under", key, err)
}

// ask sends f under a new id and waits for the answer.
func (c *client) ask(ctx context.Context, f frame) (answer frame, id uint32, err error) {
	var answered chan frame
	f.id, answered = c.expect()
	defer c.unexpect(f.id)
	if err := ctx.Err(); err != nil {
		return frame{}, f.id, err
	}
	select {
	case c.out <- f:
	case <-ctx.Done():
		return frame{}, f.id, ctx.Err()
	case <-c.done:
		return frame{}, f.id, c.err
	}
	select {
	case answer = <-answered:
	case <-ctx.Done():
		return frame{}, f.id, ctx.Err()
	case <-c.done:
		select {
		case answer = <-answered: // it came before the end
		default:
			return frame{}, f.id, c.err
		}
	}
	if answer.op == opFail {
		return frame{}, f.id, fmt.Errorf("%w: %s", ErrTooLarge, answer.value)
	}
	return answer, f.id, nil
}

// expect makes an id and the channel on which its answer will come.
func (c *client) expect() (uint32, chan frame) {
	answered := make(chan frame, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nextID++
	c.pending[c.nextID] = answered
	return c.nextID, answered
}

// unexpect forgets id; an answer that still comes is dropped.
func (c *client) unexpect(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// read hands answers to those who wait, until the connection ends.
func (c *client) read() {
	defer c.conn.Close()
	r := bufio.NewReader(c.conn)
	for {
		f, err := readFrame(r)
		switch {
		case err != nil:
			c.stop(fmt.Errorf("%w: %w", ErrLost, err))
			return
		case f.op == opClosed:
			c.stop(fmt.Errorf("%w by its server", ErrClosed))
			return
		case f.op == opDrop:
			c.stop(fmt.Errorf("%w: its server dropped this client: %s", ErrLost, f.value))
			return
		}
		c.mu.Lock()
		if answered := c.pending[f.id]; answered != nil {
			delete(c.pending, f.id)
			answered <- f
		}
		c.mu.Unlock()
	}
}

// write sends what calls post, until the client ends.
func (c *client) write() {
	var buffer []byte
	for {
		select {
		case f := <-c.out:
			buffer = appendFrame(buffer[:0], f)
			c.conn.SetWriteDeadline(time.Now().Add(silenceLimit))
			if _, err := c.conn.Write(buffer); err != nil {
				c.conn.Close() // the reader tells why, or a goodbye that came before
				return
			}
		case <-c.done:
			return
		}
	}
}

// stop ends the client with err unless it has ended, and says whether it did.
func (c *client) stop(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.ended, c.err = true, err
	close(c.done)
	return true
}

// Close is Store.Close. It takes a second at most.
func (c *client) Close() error {
	if c.stop(ErrClosed) {
		bound := time.AfterFunc(goodbyeTime, func() { c.conn.Close() }) // whatever a stuck server keeps us from
		defer bound.Stop()
		c.conn.SetWriteDeadline(time.Now().Add(goodbyeTime))
		c.writer.Wait()
		c.conn.Write(appendFrame(nil, frame{op: opBye})) // a server that is gone needs none
		hangUp(c.conn)
	}
	c.writer.Wait()
	c.reader.Wait()
	return nil
}

// explain says what the client was doing when err happened, and with whom.
func (c *client) explain(doing, key string, err error) error {
	if err == nil || errors.Is(err, ErrTooLarge) {
		return err
	}
	return fmt.Errorf("rendezvous store at %s: %s %q: %w", c.addr, doing, key, err)
}
