// Never ends by itself. Use it to try cancellation and timeouts.
//
//   ./sallyport run examples/endless.js                 then press Ctrl-C: CANCELLED, exit code 3
//   ./sallyport run examples/endless.js --timeout 2s    TIMED_OUT, exit code 4

console.log("Here I go.");
while (true) {}
