package archtest

// exceptions permits offences, by rule and by where they are (a file, or a file
// and a function), with the reason why they are none. One that permits nothing
// any more is itself an offence.
var exceptions = map[string]map[string]string{
	"panics": {
		"mem/slot.go:mustBeOut":                  "a slot used after its release would end in a wrong sum",
		"reduce/func.go:explain":                 "passes on a user function's panic, with the operation's name",
		"reduce/kernel.go:checkLengths":          "operands of unequal length are a caller's bug, as in copying beyond a slice",
		"schedule/plan.go:newPlan":               "a plan for no ranks is a caller's bug",
		"schedule/doubling.go:DoublingAllGather": "a plan that does not exist for so many ranks is a caller's bug",
		"transport/transporttest/rig.go:newRig":  "ends a test whose transport hangs, with all goroutines' stacks",
	},
	"sleeps": {
		"internal/leak/leak_test.go:TestGoroutineThatEnds":             "a goroutine that ends by itself, a little late, is the thing tested",
		"cmd/arbench/death_linux_test.go:noRankLeft":                   "nothing tells a process that another's orphan is gone: it looks until a deadline",
		"rendezvous/gather_test.go:TestGatherReportsProgress":          "virtual time, in a synctest bubble",
		"rendezvous/gather_test.go:TestGatherTellsAllOfADuplicateRank": "virtual time, in a synctest bubble",
		"transport/inproc/model_test.go:pass":                          "virtual time, in a synctest bubble",
		"transport/transporttest/broken_test.go:Poll":                  "a transport that blocks, for the suite to find",
	},
}
