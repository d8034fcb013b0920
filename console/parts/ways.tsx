import { useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import type { CaptionMethod, CaptionMethodRows } from '../../contract/captions/caption-method.ts';
import { useHost } from '../host/session.ts';
import { useRemote } from '../host/use-remote.ts';
import { type CaptionWay, needsEngines, openWay, wayNames, waysOf, wayText, withModel } from '../words/caption-ways.ts';
import { whatWords } from '../words/cause-words.ts';
import { counted } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { Choice, ModelField } from './field.tsx';
import { Failed, Loading, Notice, Remedies } from './notice.tsx';

interface WaysOptions {
  /** The spoken language; null if it is not declared. */
  readonly spoken: string | null;
  /** True for a study that has ended. */
  readonly isStudied: boolean;
}

/** The ways to captions of a film, with the one that a person takes. */
export interface ChosenWays {
  /** Null until the host has said what its settings and its machine have. */
  readonly ways: readonly CaptionWay[] | null;
  /** The way to take; null if all are closed, or not known yet. */
  readonly way: CaptionWay | null;
  /** The caption executor of the settings. */
  readonly usual: string | null;
  readonly error: unknown;
  readonly retry: () => void;
  readonly choose: (method: CaptionMethod) => void;
  readonly modelOf: (engine: string) => string | undefined;
  readonly chooseModel: (engine: string, model: string) => void;
}

/** The ways to captions by the rows of the host. It looks for engines on the machine only if some way lacks one. */
export function useWays(rows: CaptionMethodRows | null, { spoken, isStudied }: WaysOptions): ChosenWays {
  const host = useHost();
  const looks = rows !== null && needsEngines(rows);
  const { remote, reload } = useRemote(async () => {
    const [{ settings }, found] = await Promise.all([host.settings.read(), looks ? host.settings.engines() : null]);
    const usual = settings.find(({ name }) => name === 'caption-executor')?.value ?? null;
    return { usual: usual === null ? null : String(usual), found: found?.engines ?? [] };
  }, [host, looks]);
  const [method, choose] = useState<CaptionMethod | null>(null);
  const [models, setModels] = useState<Readonly<Record<string, string>>>({});
  const known = remote.state === 'ready' ? remote.value : null;
  const usual = known?.usual ?? null;
  const found = known?.found.map((each) => withModel(each, models[each.name] ?? each.models[0] ?? '')) ?? [];
  const ways = rows === null || known === null ? null : waysOf(rows, { found, usual, spoken, isStudied });
  const chosen = ways?.find((each) => each.method === method && each.state !== 'closed');
  return {
    ways,
    way: chosen ?? (ways === null ? null : openWay(ways)),
    usual,
    error: remote.state === 'failed' ? remote.error : null,
    retry: reload,
    choose,
    modelOf: (engine) => models[engine],
    chooseModel: (engine, model) => setModels({ ...models, [engine]: model }),
  };
}

/** Has a host do what a person permits with a way, from now on. */
export async function permit(host: StudyHost, { permission }: CaptionWay): Promise<void> {
  if (permission !== null) await host.settings.change(permission);
}

interface WaysProps {
  readonly of: ChosenWays;
  readonly sourceSessionId: string;
}

/** The way to captions that is taken, what it sends and may cost, and the other ways, folded, with what is in theirs. */
export function Ways({ of, sourceSessionId }: WaysProps) {
  const { ways, way, error, retry, modelOf, chooseModel } = of;
  if (error !== null) return <Failed error={error} onRetry={retry} />;
  if (ways === null) return <Loading what="the ways to captions" lines={2} />;
  if (way === null) return <NoWay ways={ways} sourceSessionId={sourceSessionId} />;
  const [first, ...others] = ways;
  return (
    <div class="ways">
      {first !== undefined && <Way way={first} of={of} isOne={others.every(({ state }) => state === 'closed')} />}
      {way.engines.map(({ name, models }) => (
        <ModelField
          key={name}
          models={models}
          model={modelOf(name) ?? models[0] ?? ''}
          onModel={(model) => chooseModel(name, model)}
        />
      ))}
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, 'other way')}</summary>
          <ul class="plain">
            {others.map((each) => (
              <li key={each.method}>
                {each.state === 'closed' ? (
                  <ClosedWay way={each} sourceSessionId={sourceSessionId} />
                ) : (
                  <Way way={each} of={of} isOne={false} />
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

interface WayProps {
  readonly way: CaptionWay;
  readonly of: ChosenWays;
  /** True if there is nothing to choose. */
  readonly isOne: boolean;
}

function Way({ way, of, isOne }: WayProps) {
  const title = wayNames[way.method];
  const text = wayText(way);
  return isOne ? (
    <p class="way">
      <strong>{title}</strong>
      <span class="quiet">{text}</span>
    </p>
  ) : (
    <Choice name="way" isChosen={way.method === of.way?.method} onChoose={() => of.choose(way.method)} title={title}>
      {text}
    </Choice>
  );
}

interface ClosedWayProps {
  readonly way: CaptionWay;
  readonly sourceSessionId: string;
}

const ClosedWay = ({ way: { method, causes }, sourceSessionId }: ClosedWayProps) => (
  <p class="way">
    <strong>{wayNames[method]}</strong>
    <span class="quiet">
      {`${sentence(whatWords(causes))}. `}
      <Remedies causes={causes} sourceSessionId={sourceSessionId} />
    </span>
  </p>
);

interface NoWayProps {
  readonly ways: readonly CaptionWay[];
  readonly sourceSessionId: string;
}

/** Why there are no captions by any way, each reason once. */
function NoWay({ ways, sourceSessionId }: NoWayProps) {
  const [first, ...others] = ways;
  const reasons = first === undefined ? [] : first.causes;
  return (
    <Notice kind="unavailable" title={`No captions: ${whatWords(reasons)}`}>
      <p>
        <Remedies causes={reasons} sourceSessionId={sourceSessionId} />
      </p>
      {others.length > 0 && (
        <ul class="plain">
          {others.map((each) => (
            <li key={each.method}>
              <ClosedWay way={each} sourceSessionId={sourceSessionId} />
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
