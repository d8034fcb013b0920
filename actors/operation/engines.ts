import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { EngineCause } from '../../contract/causes/causes.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { Engine, EngineKind } from '../../contract/operation.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import type { RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import type { EngineChoices } from '../engines/engine-choices.ts';

/** A model behind a server. */
interface HostedModel {
  readonly provider: HostedProvider;
  readonly model: string;
}

/** The choices that decide which engines a host has. */
export interface ChosenEngines extends Pick<EngineChoices, 'recognizer' | 'captions'> {
  /** Those that every host measures with. */
  readonly detectors: readonly ToolIdentity[];
  /** True if workers measure and recognize, which get the media from an object source. */
  readonly hasWorkers: boolean;
  /** Those that read text on the screen; none on a host that reads none. */
  readonly screenText: readonly ToolIdentity[];
  readonly translator: HostedModel | null;
  readonly explainer: HostedModel | null;
  /** The downloader; null if it is off, with the reason beside it. */
  readonly downloader: ToolIdentity | null;
  readonly whyNoDownloader: string;
}

const nameOf = ({ name, version }: ToolIdentity): string => `${name} ${version}`;

type Switched = Exclude<EngineKind, 'detectors'>;

const offCause = (engine: Switched): EngineCause => ({ code: 'engine_off', params: { engine } });

/** The way to switch an engine on or off. */
const changeOf = (engine: Switched): string | null => causeText(offCause(engine), 'terminal').remedy;

const off = (engine: Switched, text: string): Engine => ({
  engine,
  isOn: false,
  name: null,
  reach: 'this_host',
  mayCost: false,
  text,
  change: changeOf(engine),
  cause: offCause(engine),
});

/** An engine behind a server: only one on this machine keeps what it is sent here, as far as the host can tell. */
function hosted(engine: Switched, { provider, model }: HostedModel, sent: string): Engine {
  const { isLocal, baseUrl } = provider;
  const text = isLocal
    ? `${sent} goes to a server on this machine; whether it passes anything on is up to that server`
    : `${sent} leaves this machine with every request, and each may cost money`;
  return {
    engine,
    isOn: true,
    name: `${model} at ${baseUrl}`,
    reach: isLocal ? 'this_machine' : 'outside',
    mayCost: !isLocal,
    text,
    change: changeOf(engine),
    cause: null,
  };
}

/** The engines that measure: on this machine, or on others that get the media. */
function detectorsOf(detectors: readonly ToolIdentity[], hasWorkers: boolean): Engine {
  const text = hasWorkers
    ? 'media is copied into the object source, and every worker that reaches it may measure it'
    : 'they measure in processes without a network; nothing is sent';
  const reach = hasWorkers ? 'outside' : 'this_host';
  return {
    engine: 'detectors',
    isOn: true,
    name: detectors.map(nameOf).join(', '),
    reach,
    mayCost: false,
    text,
    change: null,
    cause: null,
  };
}

function screenTextOf(tools: readonly ToolIdentity[]): Engine {
  if (tools.length === 0) return off('screen_text', 'no text on the screen is read');
  return {
    engine: 'screen_text',
    isOn: true,
    name: tools.map(nameOf).join(', '),
    reach: 'this_host',
    mayCost: false,
    text: 'text on the screen is read by a process without a network; nothing is sent',
    change: changeOf('screen_text'),
    cause: null,
  };
}

function recognizerOf(chosen: RecognizerChoice | null): Engine {
  if (chosen === null) return off('recognizer', 'speech is not recognized, so studies have no transcript');
  if (chosen.engine === 'openai') return hosted('recognizer', chosen, 'the sound of speech');
  const text = 'a program on this machine recognizes speech; nothing is sent';
  const change = changeOf('recognizer');
  const own = { isOn: true, reach: 'this_host', mayCost: false, cause: null } as const;
  return { engine: 'recognizer', name: chosen.engine, text, change, ...own };
}

/** Every engine of a host, on or off, and what it means for privacy and cost. */
export function enginesOf({
  detectors,
  hasWorkers,
  recognizer,
  screenText,
  captions: { classification, subtitlesFirst },
  translator,
  explainer,
  downloader,
  whyNoDownloader,
}: ChosenEngines): readonly Engine[] {
  const captioning = classification !== 'recorded_real_pipeline_fixture';
  return [
    detectorsOf(detectors, hasWorkers),
    recognizerOf(recognizer),
    screenTextOf(screenText),
    captioning
      ? {
          engine: 'captions',
          isOn: true,
          name: `${subtitlesFirst ? 'subtitle tracks, else ' : ''}${classification.replaceAll('_', ' ')}`,
          reach: 'this_host',
          mayCost: false,
          text: 'captions are put together on this machine',
          change: changeOf('captions'),
          cause: null,
        }
      : off('captions', 'no captions are made of new studies'),
    translator === null
      ? off('caption_translation', 'nothing is translated')
      : hosted('caption_translation', translator, 'caption text'),
    explainer === null
      ? off('explanations', 'nothing is explained')
      : hosted('explanations', explainer, 'caption text'),
    downloader === null
      ? off('video_hosts', whyNoDownloader)
      : {
          engine: 'video_hosts',
          isOn: true,
          name: nameOf(downloader),
          reach: 'outside',
          mayCost: false,
          text: 'the address of a video goes to its host when a client asks for a range of it',
          change: null,
          cause: null,
        },
  ];
}
