import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failed, ok, sandboxFinding, toolFinding, weak } from '../../actors/operation/finding.ts';
import type { Finding } from '../../contract/operation/host-checks.ts';
import { SpeechRuntimeMissing, speechToolIdentity } from '../../executors/detector/detector-models.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { FFMPEG, FFPROBE, resolveTool, YTDLP } from '../../executors/process/tools.ts';
import { recognizerProgram } from '../../executors/recognition/open-recognizer.ts';
import { demandEngine, languageData, ScreenTextUnavailable } from '../../executors/screentext/language-data.ts';
import { DEFAULT_LANGUAGES } from '../../executors/screentext/tesseract.ts';
import { chooseListener } from '../../http/listener/choose-listener.ts';
import { startRemedies } from '../options/start-remedies.ts';

/** Oldest Node that runs the host, as `package.json` says. */
const oldestNode = [20, 19] as const;

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld
    ? failed('node', `v${version}, and ${oldestNode.join('.')} is needed`, 'install a newer Node')
    : ok('node', `v${version}`);
}

/** The speech model and the runtime that computes it. */
export async function speechFinding(): Promise<Finding> {
  try {
    const { name, version } = await speechToolIdentity();
    return ok('speech', `${name} ${version}`);
  } catch (error) {
    if (!(error instanceof SpeechRuntimeMissing)) throw error;
    return failed('speech', error.message, startRemedies[error.code] ?? '');
  }
}

/** Which HTTP adapter a host would take, and why. */
export async function adapterFinding(): Promise<Finding> {
  const { adapter, reason } = await chooseListener();
  return ok('adapter', `${adapter} (${reason})`);
}

const tools = [
  { name: 'ffmpeg', question: FFMPEG, isNeeded: true },
  { name: 'ffprobe', question: FFPROBE, isNeeded: true },
  { name: 'yt-dlp', question: YTDLP, isNeeded: false },
] as const;

/** The recognisers on this machine. A host does without, so none of them is no fault. */
export async function recognizerFinding(environment: NodeJS.ProcessEnv): Promise<Finding> {
  const engines = ['pocketsphinx', 'whisper-cli'] as const;
  const programs = await Promise.all(engines.map((engine) => recognizerProgram(engine, environment)));
  const found = engines.map((engine, at) => `${engine}: ${programs[at] ?? 'none'}`);
  return ok('recognisers', found.join(', '));
}

/** Who could read text on the screen. A host does without, so none is no fault. */
export async function screenTextFinding(): Promise<Finding> {
  try {
    await demandEngine();
    for (const language of DEFAULT_LANGUAGES) await languageData(language);
    return ok('screen-text', `tesseract with ${DEFAULT_LANGUAGES.join(', ')}`);
  } catch (error) {
    if (!(error instanceof ScreenTextUnavailable)) throw error;
    return ok('screen-text', `none: ${error.message.replace(/^[a-z_]+: /, '')}`);
  }
}

/** The sandbox around tools, and each tool as a host would find it. `now` in epoch ms. */
export async function toolFindings(environment: NodeJS.ProcessEnv, now: number): Promise<Finding[]> {
  const workRoot = await mkdtemp(join(tmpdir(), 'media-study-doctor-'));
  try {
    const launcher = await openLauncher({ workRoot, newId: randomUUID });
    const found = await Promise.all(
      tools.map(async ({ name, question, isNeeded }) => {
        const answer = await resolveTool(launcher, environment, name, question);
        if ('missing' in answer) {
          const remedy = `install ${name}, or name it by ${question.environmentVariable}`;
          return (isNeeded ? failed : weak)(name, answer.missing, remedy);
        }
        return toolFinding(answer.tool.identity, answer.tool.path, now);
      }),
    );
    await launcher.close();
    return [sandboxFinding(launcher.sandbox), ...found];
  } finally {
    await rm(workRoot, { recursive: true, force: true });
  }
}
