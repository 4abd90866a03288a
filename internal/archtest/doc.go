// Package archtest holds the repository to its own rules. The rules are data:
// the import lattice in lattice.go, the exceptions in exceptions.go, and one
// entry per rule in rules.go. The test reads the source of every module of the
// repository, whatever its build tags, and judges it; a second test shows each
// rule an offence and expects it to be found.
//
// Who needs a new arrow or exception adds a line, with a reason, and so makes
// the change of architecture visible in review.
package archtest
