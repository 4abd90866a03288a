// Package rendezvous lets the ranks of a job find one another.
//
// FromEnv reads from the environment which rank a launcher made this process
// and where the ranks meet, and Open opens the Store there: a map of keys that
// are written once and can be waited for. Gather is the use that all jobs make
// of it: every rank publishes its value, gets those of all others, and learns
// who is missing while it waits.
//
// There are three stores. Memory serves the ranks of one process. File is a
// directory that all ranks share. Serve and Dial are the ends of a store over
// TCP, whose clients prove that they know the job's token before the server
// reads anything else, which notices clients that die, and which executes their
// last wills.
//
// What the TCP store receives is bounded before it is allocated, and a peer
// whose bytes make no sense is dropped with one line in the log. The token
// keeps strangers out; it does not encrypt what is stored.
package rendezvous
