import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure, Row } from './figure.ts';
import { repository, withHost } from './host-process.ts';
import { inTurn, quantity } from './measuring.ts';
import { childrenCpuMs } from './process-figures.ts';

const rounds = 11;
const slowRounds = 3;
const atMost = 2;

/** CPU time of one run of a program, its own children included, in milliseconds. Throws if it fails. */
async function cpuOf(program: string, words: readonly string[], cwd = repository): Promise<number> {
  const before = childrenCpuMs();
  execFileSync(program, words, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  return childrenCpuMs() - before;
}

const command = (...words: readonly string[]) => cpuOf(process.execPath, ['build/media-study.js', ...words]);
const bare = () => cpuOf(process.execPath, ['--eval', '0']);

/** `bound` is null for a figure that is given for information. */
async function figureOf(
  figure: string,
  measured: () => Promise<number>,
  [name, reference]: readonly [name: string, run: () => Promise<number>],
  bound: number | null = atMost,
  times = rounds,
): Promise<Figure> {
  const cpu = await inTurn(times, measured, reference, 1);
  const ratio = cpu.measured / cpu.reference;
  return {
    figure,
    measured: `${quantity(cpu.measured, 'ms')} CPU`,
    reference: `${quantity(cpu.reference, 'ms')} CPU, ${name}`,
    ratio,
    mustReach: bound === null ? '-' : `<= ${bound} x the reference`,
    reached: bound === null ? null : ratio <= bound,
  };
}

export const commandCost: Row = {
  name: 'command-cost',
  measures:
    'The fixed CPU time of a command, against bare Node with the modules that the command needs. The kernel counts it in steps of 10 ms.',
  grows: 'With the modules that a command loads; each loads only its own.',
  async measure(folder) {
    const root = ['--data-root', `${folder}/root`];
    const version = await figureOf('media-study --version', () => command('--version'), ['bare Node', bare]);
    const [found, none] = await withHost(`${folder}/root`, async ({ announcement }) => {
      const place = [String(announcement.listening), String(announcement.authorizationToken)];
      const client = join('bench', 'bare-sources.mjs');
      const least = ['Node with the client and zod', () => cpuOf(process.execPath, [client, ...place])] as const;
      const sources = () => command('sources', ...root);
      return [
        await figureOf('media-study sources, a host runs', sources, least),
        await figureOf(
          'npm run media-study -- sources, a host runs',
          () => cpuOf('npm', ['run', '--silent', 'media-study', '--', 'sources', ...root]),
          ['media-study sources', sources],
          null,
          slowRounds,
        ),
      ];
    });
    const started = await figureOf(
      'media-study sources, no host runs',
      () => command('sources', ...root),
      ['a host that starts, answers once and ends', () => hostCpu(`${folder}/root`)],
      atMost,
      slowRounds,
    );
    const project = projectWithPackage(`${folder}/project`);
    const npx = await figureOf(
      'npx media-study --version, in a project that has the package',
      () => cpuOf('npx', ['--no-install', 'media-study', '--version'], project),
      ['npx of bare Node', () => cpuOf('npx', ['--no-install', 'bare', '--eval', '0'], project)],
      null,
      slowRounds,
    );
    return [version, found, started, none, npx];
  },
};

/** A folder in which npx finds the built program and bare Node, as npm links them. */
function projectWithPackage(folder: string): string {
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  const link = (name: string, words: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' ${words} "$@"\n`, { mode: 0o755 });
  link('media-study', `'${join(repository, 'build', 'media-study.js')}'`);
  link('bare', '');
  return folder;
}

/** CPU time of a host that starts on a used data root, answers a read and ends, in milliseconds. */
async function hostCpu(dataRoot: string): Promise<number> {
  const before = childrenCpuMs();
  await withHost(dataRoot, ({ client }) => client.read('/v1/source-sessions'));
  return childrenCpuMs() - before;
}
