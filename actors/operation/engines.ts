import type { ToolIdentity } from '../../contract/base/artifact.ts';
import { type EngineCause, engineKind } from '../../contract/causes/causes.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { Engine, EngineKind } from '../../contract/operation.ts';
import type { HostedProvider } from '../../executors/model-server/hosted-provider.ts';
import type { EngineChoices } from '../engines/engine-choices.ts';

/** A model behind a server. */
interface HostedModel {
  readonly provider: HostedProvider;
  readonly model: string;
}

/** The choices that decide which engines a host has. */
export interface ChosenEngines extends Pick<EngineChoices, 'captions'> {
  /** Those that every host measures with. */
  readonly detectors: readonly ToolIdentity[];
  /** True if workers measure and recognize, which get the media from an object source. */
  readonly hasWorkers: boolean;
  /** Those of the features of the host. */
  readonly others: readonly Engine[];
}

/** A tool with its version, for people. */
export const toolName = ({ name, version }: ToolIdentity): string => `${name} ${version}`;

type Switched = Exclude<EngineKind, 'detectors'>;

const offCause = (engine: Switched): EngineCause => ({ code: 'engine_off', params: { engine } });

/** The way to switch an engine on or off. */
const changeOf = (engine: Switched): string | null => causeText(offCause(engine), 'terminal').remedy;

/** The row of an engine that is off. `text` is one clause, without capital or full stop. */
export const engineOff = (engine: Switched, text: string): Engine => ({
  engine,
  isOn: false,
  name: null,
  reach: 'this_host',
  mayCost: false,
  text,
  change: changeOf(engine),
  cause: offCause(engine),
});

/** The row of an engine in a process of this machine, which sends nothing. `text` is one clause, without capital or full stop. */
export const ownEngine = (engine: Switched, name: string, text: string): Engine => ({
  engine,
  isOn: true,
  name,
  reach: 'this_host',
  mayCost: false,
  text,
  change: changeOf(engine),
  cause: null,
});

/** An engine behind a server: only one on this machine keeps what it is sent here, as far as the host can tell. */
export function hostedEngine(engine: Switched, { provider, model }: HostedModel, sent: string): Engine {
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
    name: detectors.map(toolName).join(', '),
    reach,
    mayCost: false,
    text,
    change: null,
    cause: null,
  };
}

/** Every engine of a host, on or off, and what it means for privacy and cost. */
export function enginesOf({
  detectors,
  hasWorkers,
  others,
  captions: { classification, subtitlesFirst },
}: ChosenEngines): readonly Engine[] {
  const captioning = classification !== 'recorded_real_pipeline_fixture';
  const rows: Engine[] = [
    ...others,
    detectorsOf(detectors, hasWorkers),
    captioning
      ? ownEngine(
          'captions',
          `${subtitlesFirst ? 'subtitle tracks, else ' : ''}${classification.replaceAll('_', ' ')}`,
          'captions are put together on this machine',
        )
      : engineOff('captions', 'no captions are made of new studies'),
  ];
  const kinds = engineKind.options;
  return rows.sort((one, other) => kinds.indexOf(one.engine) - kinds.indexOf(other.engine));
}
