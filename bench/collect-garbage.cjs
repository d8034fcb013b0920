// Loaded into a host before its program, so that a benchmark can have it collect what nothing refers to any more: on SIGUSR2.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  // What the first look finds may have waited for its finalizers.
  collect();
  setImmediate(collect);
});
