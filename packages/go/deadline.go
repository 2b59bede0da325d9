package gateway

import (
	"context"
	"errors"
	"io"
	"time"
)

var errSilent = errors.New("nothing came within the timeout")

// The caller's context, and the longest silence.
type deadline struct {
	outer   context.Context
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	timeout time.Duration
}

// The first wait begins.
func newDeadline(outer context.Context, timeout time.Duration) *deadline {
	ctx, cancel := context.WithCancelCause(outer)
	d := &deadline{outer: outer, ctx: ctx, cancel: cancel, timeout: timeout}
	if timeout > 0 {
		d.timer = time.AfterFunc(timeout, func() { cancel(errSilent) })
	}
	return d
}

// The wait begins again.
func (d *deadline) touch() { d.wait(d.timeout) }

func (d *deadline) wait(timeout time.Duration) {
	if d.timer != nil {
		d.timer.Reset(timeout)
	}
}

// Nothing is waited for until the next touch.
func (d *deadline) rest() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// What is still open is closed.
func (d *deadline) end() {
	d.rest()
	d.cancel(context.Canceled)
}

// A body whose every read has the deadline.
type watched struct {
	body     io.Reader
	deadline *deadline
}

func (w *watched) Read(into []byte) (int, error) {
	w.deadline.touch()
	n, err := w.body.Read(into)
	w.deadline.rest()
	return n, err
}
