import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { evaluationPack, type PackItem } from '../contract/evaluation.ts';
import { faultItems } from './packs/fault-items.ts';
import { filmItems } from './packs/film-items.ts';
import { pairingItems } from './packs/pairing-items.ts';
import { photographItems } from './packs/photograph-items.ts';
import { recordedFaultItems } from './packs/recorded-fault-items.ts';
import { recordedItems, unspokenItems, wholeMusicItems } from './packs/recorded-items.ts';
import { screenTextItems } from './packs/screen-text-items.ts';
import { speechItems } from './packs/speech-items.ts';
import { utteranceItems } from './packs/utterance-items.ts';

// Builds a labeled pack: drawn films, speech of flite, sounds with faults, text tracks that differ, and text on the screen.
// The bytes depend on the versions of ffmpeg and flite, on fonts and on the processor, so each machine has its own baseline.

const parts: Readonly<Record<string, (folder: string) => Promise<PackItem[]>>> = {
  films: filmItems,
  speech: speechItems,
  faults: faultItems,
  paired: pairingItems,
  screen: screenTextItems,
  'photographs-english-german-tuning': photographItems('tuning', 'english-german'),
  'photographs-french-korean-tuning': photographItems('tuning', 'french-korean'),
  'photographs-english-german-held-out': photographItems('held-out', 'english-german'),
  'photographs-french-korean-held-out': photographItems('held-out', 'french-korean'),
  'photographs-english-german-unseen': photographItems('unseen', 'english-german'),
  'photographs-french-korean-unseen': photographItems('unseen', 'french-korean'),
  'photographs-english-german-newest': photographItems('newest', 'english-german'),
  'photographs-french-korean-newest': photographItems('newest', 'french-korean'),
  recorded: recordedItems,
  unspoken: unspokenItems,
  'unspoken-whole': wholeMusicItems,
  tuning: utteranceItems('tuning'),
  'held-out': utteranceItems('held-out'),
  unseen: utteranceItems('unseen'),
  'faults-tuning': recordedFaultItems('tuning'),
  'faults-held-out': recordedFaultItems('held-out'),
};

const [given, ...named] = process.argv.slice(2);
const usual = ['films', 'speech', 'faults', 'paired', 'screen'];
const wanted = named.length === 0 ? usual : named;
if (given === undefined || wanted.some((name) => !Object.hasOwn(parts, name))) {
  process.stderr.write(`usage: node --import tsx lab/build-pack.ts OUTDIR [${Object.keys(parts).join('|')} …]\n`);
  process.exit(2);
}
const folder = path.resolve(given);
for (const name of [...wanted, 'work']) await mkdir(path.join(folder, name), { recursive: true });
const items: PackItem[] = [];
for (const name of wanted) items.push(...((await parts[name]?.(folder)) ?? []));
const pack = evaluationPack.parse({
  schema: 'studio.evaluation-pack.v1',
  name: 'Built pack',
  rightsHolder: 'The project',
  ownershipAttested: true,
  items,
});
await rm(path.join(folder, 'work'), { recursive: true });
await writeFile(path.join(folder, 'pack.json'), `${JSON.stringify(pack, null, 2)}\n`);
process.stdout.write(`${pack.items.length} items in ${folder}\n`);
