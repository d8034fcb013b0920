// A host that downloads a range of $1 (an address of the origin $2) into the folder $3 below the work root $4, until it is killed.
import { randomBytes, randomUUID } from 'node:crypto';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { resolveTools } from '../../../executors/process/tools.ts';
import { downloadRange } from '../../../features/video-host/engine/download-range.ts';
import { lookupAddresses } from '../../../features/video-host/engine/video-host.ts';
import { film, neededDownloader } from './video-host-for-tests.ts';

const [url = '', openOrigin = '', folder = '', workRoot = ''] = process.argv.slice(2);
const launcher = await openLauncher({ workRoot, newId: randomUUID });
const tools = await resolveTools(launcher, process.env);
const ytdlp = await neededDownloader(launcher);
const newSecret = () => randomBytes(16).toString('hex');
await downloadRange(
  { launcher, ytdlp, ...tools, lookup: lookupAddresses, openOrigin, ownNetwork: true, newSecret },
  {
    url,
    extractor: 'generic',
    resolved: film,
    range: { startMs: 0, endMs: 11_000 },
    folder,
    maximumBytes: 4_000_000,
    wallMs: 60_000,
    onProgress: () => {},
  },
  new AbortController().signal,
);
