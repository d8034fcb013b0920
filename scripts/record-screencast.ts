// Records docs/guides/screencast.md: what a person types to caption films on a machine without settings, and what is printed.
// `npm run screencast` runs every scene with the built program, in an empty folder, at a terminal of `script` (util-linux).
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StubProvider } from '../fixtures/hosted-model/stub-provider.ts';
import { translates } from '../fixtures/hosted-model/stub-translator.ts';
import { sampleMedia } from '../fixtures/sample/gold.ts';
import { speechFile, utterances } from '../fixtures/speech/gold.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/guides/screencast.md');
const folder = mkdtempSync(join(tmpdir(), 'screencast-'));
const bin = join(folder, 'bin');
const longest = 900_000;
/** The port of Ollama; the stub of the second scene has to use it. */
const modelPort = 11_434;
mkdirSync(bin);
// As an installed package has it: a link without the extension, which npm makes executable.
const installed = join(folder, 'media-study');
symlinkSync(join(root, 'build/media-study.js'), installed);
writeFileSync(join(bin, 'media-study'), `#!/bin/sh\nexec ${process.execPath} ${installed} "$@"\n`, { mode: 0o755 });

/** The environment of a bare machine: a home without settings, for each scene another. */
const environmentOf = (home: string): NodeJS.ProcessEnv => ({
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  XDG_DATA_HOME: join(home, 'data'),
});

/** True for the text of a question, which the terminal leaves in its place. */
const isQuestion = (text: string): boolean => /Type yes|\[yes\/no\]|Your name:/.test(text);

/** The final screen of a terminal, without overwritten lines and without the folder and the progress of this run. */
const shown = (text: string, typed: readonly string[] | null): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    // A question stays visible; the progress written over it does not.
    .flatMap((line) => line.split('\r').filter((part, at, all) => at === all.length - 1 || isQuestion(part)))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes of a terminal
    .map((line) => line.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').trimEnd())
    // The terminal echoes text typed ahead before the first line, and again after its question.
    .filter(
      (line, at) =>
        line !== '' && line !== typed?.[at] && !/^\S+: (?:upload|queued|probe|seal|\d+ %|[\d.]+ [kM]B)/.test(line),
    )
    .join('\n')
    .replaceAll(folder, '~')
    .replaceAll(/~\/home-\w+\/data/g, '~/.local/share');

interface Scene {
  readonly title: string;
  readonly words: string;
  /** Files of the scene, made before it. */
  readonly prepare?: (place: string) => void;
  readonly turns: readonly Turn[];
}

interface Turn {
  readonly command: string;
  /** The lines that the person types; null without a terminal. */
  readonly typed?: readonly string[] | null;
  /** Ends the command at this text: by Ctrl-C, or by `kill -9`. */
  readonly ends?: { readonly at: RegExp; readonly by: 'SIGINT' | 'SIGKILL' };
  /** Added to the environment; not shown. */
  readonly environment?: NodeJS.ProcessEnv;
}

async function taken({ command, typed = null, ends, environment }: Turn, place: string, home: string): Promise<string> {
  const env = { ...environmentOf(home), ...environment };
  const words = typed === null ? ['bash', '-c', `exec ${command}`] : ['script', '-qefc', command, '/dev/null'];
  const child = spawn(words[0] ?? '', words.slice(1), { cwd: place, env, detached: true, timeout: longest });
  let printed = '';
  let isEnded = false;
  const note = (chunk: Buffer) => {
    printed += chunk.toString('utf8');
    if (ends === undefined || isEnded || !ends.at.test(printed)) return;
    isEnded = true;
    if (child.pid !== undefined) process.kill(ends.by === 'SIGINT' ? child.pid : -child.pid, ends.by);
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  // A command that asks nothing may end before it has read what was typed.
  child.stdin.on('error', () => undefined);
  child.stdin.end(typed === null ? '' : typed.map((line) => `${line}\n`).join(''));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const last = ends === undefined ? `exit ${code}` : ends.by === 'SIGINT' ? `(Ctrl-C) exit ${code}` : '(kill -9)';
  return `$ ${command}\n${shown(printed, typed)}\n# ${last}`;
}

const rights = '--rights-holder Me --attest-rights';
const attested = '--attest --reviewer "Local review operator"';
const copySample = (place: string) => void spawnSync('cp', [sampleMedia, join(place, 'film.mp4')]);

function makeOneTrack(place: string): void {
  const times = ['00:00:00,900 --> 00:00:04,000', '00:00:09,930 --> 00:00:12,200', '00:00:13,500 --> 00:00:16,400'];
  writeFileSync(join(place, 'w.srt'), utterances.map((text, at) => `${at + 1}\n${times[at]}\n${text}\n`).join('\n'));
  const maps = ['-map', '0:a', '-map', '1:s', '-c:a', 'copy', '-c:s', 'srt'];
  const tags = ['-metadata:s:a:0', 'language=eng', '-metadata:s:s:0', 'language=eng'];
  spawnSync('ffmpeg', ['-v', 'error', '-i', speechFile, '-i', 'w.srt', ...maps, ...tags, 'film.mkv'], { cwd: place });
  rmSync(join(place, 'w.srt'));
}

const everyTrack = ['-map', '0', '-c', 'copy'];

const scenes: readonly Scene[] = [
  {
    title: 'A film with two subtitle tracks',
    words:
      'The tracks are in Korean and English. The command asks for the name of the person once. The person types `lines` to read all lines, and then `yes`. The same command again prints the file.',
    prepare: copySample,
    turns: [
      { command: `media-study caption film.mp4 --from ko --to en ${rights}`, typed: ['Sua Kim', 'lines', 'yes'] },
      { command: 'head -n 4 film.en.srt' },
      { command: 'media-study caption film.mp4 --from ko --to en' },
    ],
  },
  {
    title: 'A film with one subtitle track, and a model server',
    words:
      'The track is in English, and the captions will be German. A server with the interface of OpenAI runs at the address of Ollama; here it is a small program with fixed answers. The person types `yes` to use it, a name, and `yes` to approve.',
    prepare: makeOneTrack,
    turns: [
      { command: `media-study caption film.mkv --to de ${rights}`, typed: ['yes', 'Sua Kim', 'yes'] },
      { command: 'cat film.de.srt' },
      { command: 'media-study settings' },
    ],
  },
  {
    title: 'An interview without subtitles',
    words:
      'pocketsphinx is installed. The person types `yes` to use it, a name, and `yes` to approve. Its text may be wrong.',
    prepare: (place) => void spawnSync('cp', [speechFile, join(place, 'interview.m4a')]),
    turns: [
      { command: `media-study caption interview.m4a --from en ${rights}`, typed: ['no', 'yes', 'Sua Kim', 'yes'] },
      { command: 'head -n 4 interview.en.srt' },
    ],
  },
  {
    title: 'A film of 20 minutes',
    words:
      'The sample, 24 times in a row. Captions have no limit of two minutes here: the command makes long captions in parts.',
    prepare: (place) =>
      void spawnSync('ffmpeg', ['-v', 'error', '-stream_loop', '23', '-i', sampleMedia, ...everyTrack, 'long.mp4'], {
        cwd: place,
      }),
    turns: [
      { command: `media-study caption long.mp4 --from ko --to en ${rights}`, typed: ['Sua Kim', 'yes'] },
      { command: 'tail -n 4 long.en.srt' },
    ],
  },
  {
    title: 'Wrong turns',
    words:
      'No terminal; no engine (here pocketsphinx is not installed); Ctrl-C; and `kill -9` twice in the middle. Each time the same command continues, and ends with the file.',
    prepare: (place) => {
      copySample(place);
      spawnSync('cp', [speechFile, join(place, 'interview.m4a')]);
    },
    turns: [
      { command: `media-study caption film.mp4 --from ko --to en ${rights}` },
      {
        command: `media-study caption interview.m4a --from en ${rights} ${attested}`,
        environment: { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx' },
      },
      {
        command: `media-study caption film.mp4 --from ko --to en --output again.srt ${attested}`,
        ends: { at: /English subtitles: track/, by: 'SIGINT' },
      },
      {
        command: `media-study caption film.mp4 --from ko --to en --output again.srt ${attested}`,
        ends: { at: /English subtitles: track/, by: 'SIGKILL' },
      },
      {
        command: `media-study caption film.mp4 --from ko --to en --output again.srt ${attested}`,
        ends: { at: /subtitle track in English: /, by: 'SIGKILL' },
      },
      { command: `media-study caption film.mp4 --from ko --to en --output again.srt ${attested}` },
    ],
  },
];

const provider = await StubProvider.start(modelPort);
provider.behavior = translates();
const parts: string[] = [];
try {
  for (const [at, { title, words, prepare, turns }] of scenes.entries()) {
    const [place, home] = [join(folder, `scene-${at}`), join(folder, `home-${at}`)];
    mkdirSync(place);
    mkdirSync(home);
    prepare?.(place);
    const blocks: string[] = [];
    for (const turn of turns) blocks.push((await taken(turn, place, home)).replaceAll(`~/scene-${at}/`, '~/'));
    parts.push(`## ${title}\n\n${words}\n\n\`\`\`\n${blocks.join('\n\n')}\n\`\`\`\n`);
    process.stderr.write(`recorded: ${title}\n`);
  }
} finally {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
}
const head = `# One command, line by line

This page shows every typed line and its output, on a machine without settings. [Captions](captions.md) explains the command. Lines of progress are left
out. \`npm run screencast\` records this page from real runs; do not edit it.
`;
writeFileSync(page, `${head}\n${parts.join('\n')}`);
