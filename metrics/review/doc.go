// Package review keeps what people decided: which alias candidates they accepted or rejected, and the named moments at
// which something was cut over. Both are written once and never changed: of several rows on one thing the newest counts,
// so that a decision survives re-mining and its history is kept.
package review
