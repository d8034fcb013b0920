// Loaded into a host before its program, so that a benchmark sees how long one turn of its event loop kept everything else
// waiting. On SIGUSR2 it writes the longest turn since the last signal, in ms, to the file that LONGEST_TURN names.
const { readFileSync, writeFileSync } = require('node:fs');

const schedule = `/proc/self/task/${process.pid}/schedstat`;
// The processor time of this thread: on a busy machine a turn also waits for its own.
const usedMs = () => Number(readFileSync(schedule, 'utf8').split(' ')[0]) / 1e6;

let [before, used, longest] = [performance.now(), usedMs(), 0];
const look = () => {
  const [now, usedNow] = [performance.now(), usedMs()];
  longest = Math.max(longest, Math.min(now - before, usedNow - used));
  [before, used] = [now, usedNow];
};
setInterval(look, 2).unref();
process.on('SIGUSR2', () => {
  look();
  writeFileSync(process.env.LONGEST_TURN, `${longest}\n`);
  longest = 0;
});
