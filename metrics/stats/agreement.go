package stats

// AgreementLow is the lower Wilson bound of how far runs agree on one accepted
// value: agreeing of all the runs that voted. One vote a run, the value that
// its first episode with the rejected one ended on, so that the figure is one
// per run and the plain bound is right: 3 of 3 is .44, not 1. Nil without a
// vote.
func AgreementLow(agreeing, runs int) *float64 {
	if runs <= 0 || agreeing < 0 || agreeing > runs {
		return nil
	}
	return Wilson(float64(agreeing), float64(runs)).Low
}
