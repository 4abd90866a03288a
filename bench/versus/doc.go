// Package versus measures ringo beside its peers, in one run: every round runs each
// side's benchmark once, the order rotates and turns from round to round so that
// slow drifts of the machine fall on everybody, and ratios are taken within a
// round.
//
// A peer is data (peers.go): which program measures it, with which settings, and
// for what. The programs are built by bench/peers/Makefile and share one protocol;
// they print a row for each size.
package versus
