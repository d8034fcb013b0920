import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openHost } from '../actors/host.ts';
import {
  goldenHost,
  goldenRequest,
  goldenUpload,
  sendMedia,
  settledIngest,
  settledStudy,
} from '../fixtures/golden-store/contents.ts';

// Writes a data root as this build leaves it: one registered source, one finished runtime, one ingest that waits for its
// media. Run by hand when the storage format gets a new number, into a folder of its own beside the older ones.
const [target, media] = process.argv.slice(2);
if (target === undefined || media === undefined) {
  throw new Error('usage: node --import tsx lab/build-golden-store.ts OUTDIR MEDIAFILE');
}

const work = await mkdtemp(path.join(tmpdir(), 'golden-store-'));
const dataRoot = path.join(work, 'data');
try {
  const host = await openHost({
    features: [],
    dataRoot,
    ...goldenHost,
    report: (line) => void process.stderr.write(`${line}\n`),
    onFatal: (error) => {
      throw error;
    },
  });
  host.begin();
  const bytes = await readFile(media);
  const { ingestId } = await host.ownedIngests.open(goldenUpload(bytes.length));
  await sendMedia(host, ingestId, bytes);
  const source = await settledIngest(host, ingestId);
  const { runtimeId } = await host.studies.start(goldenRequest(source));
  await settledStudy(host, runtimeId);
  const waiting = await host.ownedIngests.open(goldenUpload(5));
  await host.close();
  for (const name of ['ledger', 'objects']) {
    await cp(path.join(dataRoot, name), path.join(target, name), {
      recursive: true,
      // LevelDB rewrites these; they do not belong to the format.
      filter: (file) => !['LOCK', 'LOG', 'LOG.old'].includes(path.basename(file)),
    });
  }
  process.stdout.write(`${JSON.stringify({ ingestId, runtimeId, waitingIngestId: waiting.ingestId }, null, 2)}\n`);
} finally {
  await rm(work, { recursive: true, force: true });
}
