package main

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A run shows its progress once it has taken longRun, every redraw.
const (
	longRun = 2 * time.Second
	redraw  = 200 * time.Millisecond
)

// progress draws a bar on a terminal. It draws from a goroutine of its own, so
// that a step costs next to nothing. A nil progress draws nothing.
type progress struct {
	done atomic.Int64
	quit chan struct{}
	over sync.WaitGroup

	mu  sync.Mutex // held while something is on its way to the terminal
	bar *progressbar.ProgressBar
}

// startProgress returns nil when to is no terminal.
func startProgress(to *os.File, steps int) *progress {
	if !term.IsTerminal(int(to.Fd())) {
		return nil
	}
	p := &progress{quit: make(chan struct{})}
	p.bar = progressbar.NewOptions(steps, progressbar.OptionSetWriter(to), progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	p.over.Go(p.run)
	return p
}

// run redraws the bar until stop.
func (p *progress) run() {
	for next := time.After(longRun); ; next = time.After(redraw) {
		select {
		case <-next:
		case <-p.quit:
			return
		}
		p.mu.Lock()
		_ = p.bar.Set64(p.done.Load()) // it is only a picture
		p.mu.Unlock()
	}
}

// step counts one step.
func (p *progress) step() {
	if p != nil {
		p.done.Add(1)
	}
}

// aside takes the bar off the terminal while print prints.
func (p *progress) aside(print func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.bar.Clear()
	}
	print()
}

// stop takes the bar away for good.
func (p *progress) stop() {
	if p != nil {
		close(p.quit)
		p.over.Wait()
		_ = p.bar.Clear()
	}
}
