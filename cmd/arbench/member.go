package main

import "context"

// runMember is one of the ranks that a launcher started.
func runMember(ctx context.Context, o *options, l launcher) int {
	l.warn(o)
	err := runRank(ctx, o, l.rank, o.config()) // the environment says the rest
	if l.own {
		sendReport(reportOf(err))
		return statusOf(err)
	}
	return finish(err)
}
