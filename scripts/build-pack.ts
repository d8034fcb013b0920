import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { evaluationPack } from '../contract/evaluation/evaluation-pack.ts';
import { faultItems } from './packs/fault-items.ts';
import { filmItems } from './packs/film-items.ts';
import { speechItems } from './packs/speech-items.ts';

// Builds a labelled pack: drawn films, speech of flite, and sounds with faults. The bytes depend on the versions of ffmpeg
// and flite and on the processor, so that each machine accepts a baseline of its own.

const [given] = process.argv.slice(2);
if (given === undefined) {
  process.stderr.write('usage: node --import tsx scripts/build-pack.ts OUTDIR\n');
  process.exit(2);
}
const folder = path.resolve(given);
for (const name of ['films', 'speech', 'faults', 'work']) await mkdir(path.join(folder, name), { recursive: true });
const pack = evaluationPack.parse({
  schema: 'studio.evaluation-pack.v1',
  name: 'Built pack',
  rightsHolder: 'The project',
  ownershipAttested: true,
  items: [...(await filmItems(folder)), ...(await speechItems(folder)), ...(await faultItems(folder))],
});
await rm(path.join(folder, 'work'), { recursive: true });
await writeFile(path.join(folder, 'pack.json'), `${JSON.stringify(pack, null, 2)}\n`);
process.stdout.write(`${pack.items.length} items in ${folder}\n`);
