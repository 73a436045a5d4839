package store

import (
	"time"

	"errata/metrics"
)

var shadowColumns = []column{
	{"shadows.time", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) time.Time { return storable(f.Time) })
	}},
	{"shadows.tool", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return string(f.Tool) })
	}},
	{"shadows.model", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return f.Model })
	}},
	{"shadows.variant", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return string(f.Variant) })
	}},
	{"shadows.shadow", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return string(f.Shadow) })
	}},
	{"shadows.code", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return string(f.OldCode) })
	}},
	{"shadows.template", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return f.OldTemplate })
	}},
	{"shadows.new_code", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) string { return string(f.NewCode) })
	}},
	{"shadows.error_disagrees", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) bool { return f.ErrorDisagrees })
	}},
	{"shadows.retryable_disagrees", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) bool { return f.RetryableDisagrees })
	}},
	{"shadows.old_body_tokens", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) uint32 { return uint32(f.OldBodyTokens) })
	}},
	{"shadows.new_body_tokens", func(r *Run) any {
		return each(r.Facts.Shadows, func(f metrics.ShadowFact) uint32 { return uint32(f.NewBodyTokens) })
	}},
}
