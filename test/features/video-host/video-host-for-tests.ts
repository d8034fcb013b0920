import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ResolvedVideo } from '../../../contract/sources/videohost-resolution.ts';
import { openLauncher } from '../../../executors/process/launcher.ts';
import type { Launcher } from '../../../executors/process/process.ts';
import { type ResolvedTool, resolveTools } from '../../../executors/process/tools.ts';
import { findDownloader } from '../../../features/video-host/downloader.ts';
import { downloadRange } from '../../../features/video-host/engine/download-range.ts';
import { resolveVideo } from '../../../features/video-host/engine/resolve-video.ts';
import {
  type DownloadedRange,
  type DownloadRequest,
  type VideoHostDeps,
  VideoHostFailure,
  type VideoHostFailureCause,
} from '../../../features/video-host/engine/video-host.ts';
import { openVideoHost, type VideoHost } from '../../../fixtures/video-host/server.ts';
import { type MediaRecipe, madeFolder, placeMedia } from '../../media/made-media.ts';
import { drawn } from '../../media/recipes.ts';
import { patienceMs } from '../../patience.ts';

export const FRAME_MS = 40;
export const ONSET_MS = 6000;

/** The real tools and a video host on this machine. Its video: 12 s, 25 frames a second, each a little lighter. */
export interface VideoHostBench {
  readonly folder: string;
  readonly host: VideoHost;
  readonly deps: VideoHostDeps;
  readonly media: string;
  /** Resolves a path of the host, or an address. */
  resolve(form: string, other?: Partial<VideoHostDeps>, wallMs?: number): Promise<ResolvedVideo>;
  /** Resolves a path once for all tests of a file, which look at it or download from it. */
  resolved(form: string): Promise<ResolvedVideo>;
  /** Downloads into a folder of its own, with the request's other fields if given. */
  download(form: string, request: Partial<DownloadRequest>, other?: Partial<VideoHostDeps>): Promise<DownloadedRange>;
  /** Rejects when anything of a job is left: folders of processes, or of downloads that were not handed over. */
  leftovers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const film: ResolvedVideo = {
  externalId: 'film',
  canonicalUrl: 'https://host.example/film',
  title: null,
  creator: null,
  durationMs: 12_000,
  durationSource: 'metadata',
  extractor: 'generic',
  formats: [{ formatId: '0', language: null, width: null, height: null }],
};

const sound = drawn(`aevalsrc='if(gte(t\\,${ONSET_MS / 1000})\\,0.5*sin(2*PI*440*t)\\,0)':s=44100:d=12`);

/** Twelve seconds of distinct frames; two tracks of sound that begin at `ONSET_MS`. */
export const countedFilm: MediaRecipe = {
  words: [
    ...drawn("nullsrc=s=64x64:r=25:d=12,geq=lum='20+mod(N*3\\,201)':cb=128:cr=128"),
    ...[...sound, ...sound, '-map', '0:v', '-map', '1:a', '-map', '2:a', '-c:v', 'libx264', '-g', '100', '-c:a', 'aac'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=kor'],
  ],
  extension: 'mp4',
};

/** The film as HLS with the picture in one playlist and each language of sound in another; the name of its master. */
export async function makeLanguages(folder: string): Promise<string> {
  const streams = 'v:0,agroup:sound a:0,agroup:sound,language:eng a:1,agroup:sound,language:kor';
  const languages = await madeFolder({
    words: [
      ...['-i', 'film.mp4', '-map', '0', '-c', 'copy', '-f', 'hls', '-hls_time', '4', '-hls_list_size', '0'],
      ...['-var_stream_map', streams, '-master_pl_name', 'languages.m3u8', 'stream-%v.m3u8'],
    ],
    inputs: { 'film.mp4': countedFilm },
  });
  await cp(languages, folder, { recursive: true });
  return 'languages.m3u8';
}

/** The downloader of this machine; a test that needs it fails without one. */
export async function neededDownloader(launcher: Launcher): Promise<ResolvedTool> {
  const answer = await findDownloader(launcher, process.env);
  if ('missing' in answer) throw new Error(answer.missing);
  return answer.tool;
}

export async function openVideoHostBench(): Promise<VideoHostBench> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'video-host-bench-'));
  const workRoot = await mkdtemp(path.join(folder, 'work-'));
  const downloads = await mkdtemp(path.join(folder, 'downloads-'));
  const launcher = await openLauncher({ workRoot, newId: randomUUID });
  const { ffmpeg: encoder, ffprobe } = await resolveTools(launcher, process.env);
  const ytdlp = await neededDownloader(launcher);
  const media = path.join(folder, 'film.mp4');
  await placeMedia(folder, { 'film.mp4': countedFilm });
  const host = await openVideoHost({ media, statedSeconds: 12, port: 0, more: folder });
  const deps: VideoHostDeps = {
    launcher,
    ytdlp,
    ffmpeg: encoder,
    ffprobe,
    lookup: async () => ['10.0.0.1'],
    openOrigin: host.origin,
    ownNetwork: launcher.sandbox.network === 'own',
    newSecret: () => randomBytes(16).toString('hex'),
  };
  const { signal } = new AbortController();
  const known = new Map<string, Promise<ResolvedVideo>>();
  const urlOf = (form: string) => (form.startsWith('/') ? host.origin + form : form);
  const resolve: VideoHostBench['resolve'] = (form, other = {}, wallMs = patienceMs) =>
    resolveVideo({ ...deps, ...other }, { url: urlOf(form), extractor: 'generic', wallMs }, signal);
  return {
    folder,
    host,
    deps,
    media,
    resolve,
    resolved(form) {
      const found = known.get(form) ?? resolve(form);
      known.set(form, found);
      return found;
    },
    download: (form, request, other = {}) =>
      downloadRange(
        { ...deps, ...other },
        {
          url: urlOf(form),
          extractor: 'generic',
          resolved: film,
          range: { startMs: 1000, endMs: 2000 },
          folder: path.join(downloads, randomUUID()),
          maximumBytes: 4_000_000,
          wallMs: patienceMs,
          onProgress: () => {},
          ...request,
        },
        signal,
      ),
    leftovers: async () => [...(await readdir(workRoot)), ...(await readdir(downloads))],
    async close() {
      await host.close();
      await launcher.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The failure that a promise must reject with, for this reason and in words that may be shown to anyone. */
export async function failed(
  t: ExecutionContext,
  work: Promise<unknown>,
  reason: VideoHostFailureCause,
): Promise<VideoHostFailure> {
  const failure = await t.throwsAsync(work, { instanceOf: VideoHostFailure });
  if (!(failure instanceof VideoHostFailure)) throw new Error('no failure came');
  t.is(failure.reason, reason, failure.message);
  t.true(failure.message.startsWith(`${reason}: `));
  t.true(failure.message.length <= 256);
  t.false(failure.message.includes('/'), failure.message);
  return failure;
}
