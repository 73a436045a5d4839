// Package browser lets tests look at the dashboard as a person does, in a real Chromium without a window. It keeps watch
// over every page: what goes wrong in its console, what its content policy forbids, and whom it asks for anything.
package browser
