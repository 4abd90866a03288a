package archtest

import "fmt"

// Offence is one place that breaks a rule.
type Offence struct {
	// File is where, Line is 0 where it is about the whole file, and Func is the
	// function around it where that matters.
	File string
	Line int
	Func string
	// What is wrong.
	What string
}

// String returns o in the form in which compilers complain.
func (o Offence) String() string {
	if o.Line == 0 {
		return fmt.Sprintf("%s: %s", o.File, o.What)
	}
	return fmt.Sprintf("%s:%d: %s", o.File, o.Line, o.What)
}

// key is what exceptions call the place of o.
func (o Offence) key() string {
	if o.Func == "" {
		return o.File
	}
	return o.File + ":" + o.Func
}
