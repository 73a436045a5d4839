// Package web shows the facts: one page for each question, the same address with .csv and .json as data, and from every
// number a way to the runs behind it.
//
// A request is answered in one place. A handler asks its questions, each panel on its own and with a time limit, fills a
// struct of package view, and returns it or an error; the page is rendered to a buffer before anything of it is sent.
package web
