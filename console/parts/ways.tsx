import { useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import type { CaptionMethod } from '../../contract/captions/caption-method.ts';
import {
  type CaptionWay,
  causesToMend,
  type FilmMethods,
  openWay,
  wayNames,
  waysOf,
  wayText,
  withModel,
} from '../words/caption-ways.ts';
import { whatWords } from '../words/cause-words.ts';
import { counted } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { Choice, ModelField } from './field.tsx';
import { Notice, Remedies } from './notice.tsx';

/** The ways to captions of a film, with the one that a person takes. */
export interface ChosenWays {
  readonly ways: readonly CaptionWay[];
  /** The way to take; null if all are closed, or not known yet. */
  readonly way: CaptionWay | null;
  readonly choose: (method: CaptionMethod) => void;
  /** The chosen model of an engine, by its name. */
  readonly models: Readonly<Record<string, string>>;
  readonly chooseModel: (engine: string, model: string) => void;
}

/** The ways to captions by the methods of a film; none until these are there. */
export function useWays(methods: FilmMethods | null, film: Parameters<typeof waysOf>[1]): ChosenWays {
  const [method, choose] = useState<CaptionMethod | null>(null);
  const [models, setModels] = useState<Readonly<Record<string, string>>>({});
  const found = methods?.found.map((each) => withModel(each, models[each.name] ?? each.models[0] ?? '')) ?? [];
  const ways = methods === null ? [] : waysOf({ ...methods, found }, film);
  const chosen = ways.find((each) => each.method === method && each.state !== 'closed');
  return {
    ways,
    way: chosen ?? openWay(ways),
    choose,
    models,
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
  const { ways, way, models: chosen, chooseModel } = of;
  if (way === null) return <NoWay ways={ways} sourceSessionId={sourceSessionId} />;
  const [first, ...others] = ways;
  return (
    <div class="ways">
      {first !== undefined && <Way way={first} of={of} isOne={others.every(({ state }) => state === 'closed')} />}
      {way.causes.length > 0 && (
        <p class="hint">
          {`${sentence(whatWords(way.causes))}. `}
          <Remedies causes={causesToMend(way)} sourceSessionId={sourceSessionId} />
        </p>
      )}
      {way.engines.map(({ name, models }) => (
        <ModelField
          key={name}
          models={models}
          model={chosen[name] ?? models[0] ?? ''}
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
