// The least that a command which lists the sources can cost: Node with the client of the package and the library that checks what
// it reads from files, and the same read.
// Arguments: the address of the host and its token.
import 'zod';
import { StudyHost } from '../build/client/study-host.js';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const rows = await StudyHost.connect({ baseUrl, token }).sources();
process.stdout.write(`${rows.length}\n`);
