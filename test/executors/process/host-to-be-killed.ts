// A host that opens a launcher over the work root $1, starts `spawns-child` with the id file $2, and waits to be killed.
import { randomUUID } from 'node:crypto';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { fake, request } from './launcher-for-tests.ts';

const [workRoot = '', idFile = ''] = process.argv.slice(2);
const launcher = await openLauncher({ workRoot, newId: randomUUID });
const running = await launcher.start(request(fake('spawns-child'), [idFile]));
running.stdout.resume();
await running.finished;
