// Package browsertest holds the dashboard against what a person with a browser would find: that charts are painted, that
// filters and the keyboard do what they say, that nothing is asked of another host, that no rule of WCAG 2.2 AA is broken.
package browsertest
