import type { HostCore, OpenFeature } from '../../actors/host-feature.ts';
import { engineOff, ownEngine, toolName } from '../../actors/operation/engines.ts';
import { ok } from '../../actors/operation/host-checks.ts';
import { KeptParts } from '../../actors/study/kept-windows.ts';
import { warningWords } from '../../actors/study/plan-warnings.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { HostFinding } from '../../contract/operation.ts';
import { readPictures } from '../../contract/screentext.ts';
import type { FoundEngine } from '../../contract/settings.ts';
import type { PlanWarning } from '../../contract/study/start.ts';
import type { Feature } from '../feature.ts';
import {
  demandEngine,
  installed,
  languageData,
  ScreenTextUnavailable,
  screenTextRemedies,
} from './engine/language-data.ts';
import { DEFAULT_LANGUAGES, openScreenTextReader, type ScreenTextChoice } from './engine/tesseract.ts';
import { screenTextFlags, screenTextNotice, screenTextOf } from './options.ts';
import { isReadWhole, ScreenTexts, screenTextSteps } from './screen-texts.ts';

/** The host reads at least the first picture of each second. */
const pictureMs = 1000;

/** Warns of the pictures that a study will have read. */
const warningsOf =
  ({ engine, languages }: ScreenTextChoice): NonNullable<OpenFeature['warnings']> =>
  async ({ range }, { tracks }): Promise<PlanWarning[]> => {
    if (!tracks.some(({ kind }) => kind === 'video')) return [];
    const pictures = Math.ceil((range.endMs - range.startMs) / pictureMs);
    const params = { engine, languages: [...languages], pictures };
    return [
      { code: 'screen_text_will_be_read', ...warningWords({ code: 'screen_text_will_be_read', params }), ...params },
    ];
  };

/** Opens the reader of a host; without a choice every study goes on without this kind of evidence. */
async function open(choice: ScreenTextChoice | null, core: HostCore): Promise<OpenFeature> {
  const { ledger, launcher, detector, detectorTools, objectStore, tools, clock, steps } = core;
  if (choice === null) {
    return {
      stages: { readScreen: screenTextSteps({ ...steps, screenTexts: null }) },
      engineRows: () => [engineOff('screen_text', 'no text on the screen is read')],
    };
  }
  const reader = await openScreenTextReader(choice, { launcher, clock });
  const windows = new KeptParts(ledger, {
    operation: 'screen.read.window',
    field: 'pictures',
    part: readPictures,
    isWhole: isReadWhole,
  });
  const screenTexts = new ScreenTexts({
    reader,
    launcher,
    detector,
    objectStore,
    ffmpeg: tools.ffmpeg,
    languageTool: detectorTools.language,
    windows,
  });
  const text = 'text on the screen is read by a process without a network; nothing is sent';
  return {
    stages: { readScreen: screenTextSteps({ ...steps, screenTexts }) },
    engineRows: () => [ownEngine('screen_text', reader.tools.map(toolName).join(', '), text)],
    tools: reader.tools,
    warnings: warningsOf(choice),
  };
}

/** The engine on this machine; `isInUse` if the host reads with it already. */
async function foundOf(isInUse: boolean): Promise<readonly FoundEngine[]> {
  const isThere = await Promise.all([
    demandEngine(installed),
    ...DEFAULT_LANGUAGES.map((language) => languageData(language, installed)),
  ]).then(
    () => true,
    () => false,
  );
  const cause: FoundEngine['cause'] =
    isThere || isInUse
      ? null
      : { code: 'engine_missing', params: { engine: 'tesseract', languages: [...DEFAULT_LANGUAGES] } };
  return [
    {
      engine: 'screen_text',
      name: 'tesseract',
      reach: 'this_host',
      mayCost: false,
      models: [],
      confirmation: null,
      state: isInUse ? 'in_use' : isThere ? 'found' : 'absent',
      text: 'tesseract reads text on the screen on this machine. Nothing leaves the machine, and it costs nothing.',
      remedy: cause === null ? null : causeText(cause, 'terminal').remedy,
      cause,
      use: isThere && !isInUse ? { 'screen-text': 'tesseract' } : {},
    },
  ];
}

/** A host works without a reader, so none is not a fault. */
async function checks(): Promise<readonly HostFinding[]> {
  try {
    await demandEngine();
    for (const language of DEFAULT_LANGUAGES) await languageData(language);
    return [ok('screen-text', `tesseract with ${DEFAULT_LANGUAGES.join(', ')}`)];
  } catch (error) {
    if (!(error instanceof ScreenTextUnavailable)) throw error;
    return [ok('screen-text', `none: ${error.detail}`)];
  }
}

/** Reads the text on the screen of a study. */
export const textOnScreen: Feature = {
  name: 'screen-text',
  flags: { study: screenTextFlags },
  remedies: screenTextRemedies,
  options: (given) => {
    const choice = screenTextOf(given);
    return () => ({
      open: (core) => open(choice, core),
      notices: choice === null ? [] : [screenTextNotice(choice)],
      demand: async ({ isTried, launcher }) => {
        if (choice === null || !isTried('screen_text')) return;
        await openScreenTextReader(choice, { launcher: await launcher(), clock: systemClock });
      },
      found: () => foundOf(choice !== null),
    });
  },
  checks,
};
