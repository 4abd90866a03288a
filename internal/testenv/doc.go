// Package testenv tells tests what the machine and the build can do. A test
// that needs more than every machine has probes for it and skips with the
// reason; AR_REQUIRE, a comma-separated list of capabilities as in
// AR_REQUIRE=rdma,cuda, turns those skips into failures on machines that are
// known to have them.
package testenv
