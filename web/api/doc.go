// Package api serves figures to other programs: every question of package ask as JSON and CSV, and the decisions of
// package review. Every reply names its query in a header, so that a number which is seen can be checked.
package api
