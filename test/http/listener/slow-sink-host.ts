import { createHash } from 'node:crypto';
import type { Exchange } from '../../../http/listener/listener.ts';
import { adapters } from './adapters.ts';

const MEBIBYTE = 2 ** 20;

/** Reads 8 MiB, rests for 10 ms, and so on; answers with the digest and the most bytes that came during one rest. */
function sinkSlowly(exchange: Exchange): void {
  const hash = createHash('sha256');
  let sincePause = 0;
  let paused = false;
  let late = 0;
  let mostLate = 0;
  exchange.readBody({
    chunk: (bytes) => {
      hash.update(bytes);
      if (paused) {
        late += bytes.length;
        mostLate = Math.max(mostLate, late);
        return;
      }
      sincePause += bytes.length;
      if (sincePause < 8 * MEBIBYTE) return;
      sincePause = 0;
      late = 0;
      paused = true;
      exchange.pause();
      setTimeout(() => {
        paused = false;
        exchange.resume();
      }, 10);
    },
    end: () => exchange.respond(200, {}, JSON.stringify({ digest: hash.digest('hex'), mostLate })),
  });
}

// A process of its own, because the peak of a process never falls. It gets its adapter as an argument, and speaks over
// IPC.
const adapter = adapters.find(({ name }) => name === process.argv[2]);
if (adapter === undefined) throw new Error(`no adapter ${process.argv[2]}`);
const { port } = await adapter.open({ host: '127.0.0.1', port: 0 }, sinkSlowly);
process.on('message', () => process.send?.(process.resourceUsage().maxRSS * 1024));
process.on('disconnect', () => process.exit());
process.send?.(port);
