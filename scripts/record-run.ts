import { randomUUID } from 'node:crypto';
// Records the exchanges that the description of the wire shows as examples: `npm run examples`. One real host, taken
// through every operation; its clock and its chance are fixed, so that the same tools record the same run again.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../contract/base/clock.ts';
import { StubProvider } from '../fixtures/hosted-model/stub-provider.ts';
import { openVideoHost } from '../fixtures/video-host/server.ts';
import type { SettingsService } from '../http/routes/settings.ts';
import { recordedRunPath } from './docs/openapi/examples.ts';
import { fixChance } from './recording/fixed-chance.ts';

fixChance();
const { noEngines } = await import('../actors/engines/engine-choices.ts');
const { openHost } = await import('../actors/host.ts');
const { defaultCaptionAllowance } = await import('../receipts/captions/allowance.ts');
const { parseFlags } = await import('../options/flags.ts');
const { featuresOf, serveFlags } = await import('../cli/options/serve-options.ts');
const { RunningSettings } = await import('../cli/settings/host-settings.ts');
const { chooseListener } = await import('../http/listener/choose-listener.ts');
const { openServer, routeTable } = await import('../http/server.ts');
const { Keepalive } = await import('../http/streams/event-stream.ts');
const { Recorder } = await import('./recording/recorder.ts');
const { walk } = await import('./recording/walk.ts');

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const token = '0'.repeat(64);
// Both addresses are part of what is recorded.
const videoPort = 41_898;
const modelPort = 41_899;

let now = Date.parse('2026-01-02T03:04:05.000Z');
const clock: Clock = {
  now: () => now,
  setTimeout: (run, ms) => setTimeout(run, Math.min(ms, 2 ** 31 - 1)).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

const folder = await mkdtemp(path.join(tmpdir(), 'recorded-run-'));
const videos = await openVideoHost({
  media: fixture('sample/source/media/sample.mp4'),
  statedSeconds: 50,
  port: videoPort,
});
const model = await StubProvider.start(modelPort);
const report = (line: string): void => void process.stderr.write(`${line}\n`);
const reviewer = { id: 'reviewer:local-operator', label: 'Local operator' };
const explaining = [
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'example'],
];
const host = await openHost({
  features: featuresOf(
    parseFlags([...explaining, '--videohost-origin', videos.origin, '--allow-loopback-videohost'], serveFlags),
    {
      OPENAI_BASE_URL: model.baseUrl,
    },
  ),
  dataRoot: path.join(folder, 'data'),
  sources: [{ directory: fixture('sample/source'), root: null }],
  limits: {
    maximumOwnedMediaBytes: 1_000_000,
    maximumStudyRangeMs: 600_000,
    maximumLiveStudies: 10,
    captionAllowance: defaultCaptionAllowance,
  },
  studyWorkers: 1,
  reviewer,
  choices: { ...noEngines, captions: { classification: 'embedded_subtitle_tracks', subtitlesFirst: false } },
  environment: process.env,
  clock,
  report,
  points: () => undefined,
  onFatal: (error) => {
    throw error;
  },
});
const { open } = await chooseListener('node');
const running = new RunningSettings({
  given: parseFlags([], serveFlags),
  path: path.join(folder, 'settings.json'),
  settings: new Map(),
  features: [],
  isOfCommand: false,
  environment: {},
  clock,
  limit: host.limit,
  nameReviewer: () => undefined,
  // The host has options that its command line does not say.
  useEngines: () => undefined,
  underWay: host.underWay,
  demandInPlace: host.demandInPlace,
  restart: () => undefined,
});
/** The examples name no folder of the machine that recorded them. */
const shown = async <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  JSON.parse(JSON.stringify(await answer).replaceAll(folder, '/home/me/data')) as Answer;
const settings: SettingsService = {
  read: () => shown(running.read()),
  engines: () => running.engines(),
  change: (change) => shown(running.change(change)),
  restart: () => running.restart(),
};
// The description would hold itself.
const services = { ...host, readDocument: async () => Buffer.alloc(0), settings };
const server = await openServer({
  host: '127.0.0.1',
  port: 0,
  allowedOrigins: [],
  token,
  facts: { device: '64768', inode: '1310722', pid: 4321, startedAt: '123456' },
  open,
  services,
  clock,
  readConsole: async () => new Map(),
  log: { report, answered: null },
  newId: randomUUID,
});
try {
  host.begin();
  const origin = `http://127.0.0.1:${server.port}`;
  const recorder = new Recorder(
    origin,
    token,
    routeTable(services, { streams: { keepalive: new Keepalive(clock), report } }),
    () => {
      now += 1000;
    },
  );
  await walk({
    recorder,
    media: new Uint8Array(await readFile(fixture('golden-store/releases/clip.mp4'))),
    videoUrl: `${videos.origin}/page.html`,
    reviewerId: reviewer.id,
    origin,
  });
  const { operations, refusals } = recorder;
  await writeFile(recordedRunPath, `${JSON.stringify({ operations, refusals }, null, 1)}\n`);
} finally {
  await server.close(0);
  await host.close();
  await model.close();
  await videos.close();
  await rm(folder, { recursive: true, force: true });
}
