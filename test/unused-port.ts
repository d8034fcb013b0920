import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that Linux and macOS give to programs that do not name one.
const [firstPort, portCount] = [20_000, 12_000];
let asked = 0;

/**
 * A port of 127.0.0.1 without a listener, which no other process gets by chance before its use. Tests beside this one
 * ask the system for any port, or start their search at another place, which follows from their process id.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = firstPort + ((process.pid * 31 + asked) % portCount);
    asked += 1;
    const probe = createServer();
    const isFree = await once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
