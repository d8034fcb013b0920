import type { EveryTransition, FollowedTransitions } from '../../actors/supervision/followed-transitions.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { everyActor, streamedEvents } from '../../contract/journal.ts';
import type { ActorsFollowed, StreamedTransition } from '../../contract/lifecycles/actors.ts';
import { type Feed, sseFrame } from './event-stream.ts';
import type { FollowedPlace, Place } from './feeds.ts';

/** Opens the feed of an actor, or of all. It throws `unknown_actor`, `cursor_past_head` and `stored_content_inconsistent`. */
export const openTransitionFeed = (
  transitions: FollowedTransitions,
  { id, after }: FollowedPlace,
  place: Place,
): Feed | Promise<Feed> =>
  id === everyActor
    ? new EveryActorFeed(transitions, after, place)
    : ActorFeed.open(transitions, id, after ?? 0, place);

/** Follows the transitions of one actor from a `seq` on. It has no end: an approval may still be withdrawn. */
class ActorFeed implements Feed {
  readonly #transitions: FollowedTransitions;
  readonly #actorId: string;
  readonly #place: Place;
  #cursor: number;

  private constructor(transitions: FollowedTransitions, actorId: string, after: number, place: Place) {
    this.#transitions = transitions;
    this.#actorId = actorId;
    this.#cursor = after;
    this.#place = place;
  }

  /** Throws `unknown_actor`, `cursor_past_head` and `stored_content_inconsistent`. */
  static async open(
    transitions: FollowedTransitions,
    actorId: string,
    after: number,
    place: Place,
  ): Promise<ActorFeed> {
    await transitions.of(actorId, after, 1);
    return new ActorFeed(transitions, actorId, after, place);
  }

  async read(): Promise<Uint8Array | null> {
    const moved = await this.#transitions.of(this.#actorId, this.#cursor, streamedEvents);
    const frames = moved.map((transition) => {
      this.#cursor = transition.seq;
      return transitionFrame(transition, this.#place(transition.seq));
    });
    return frames.length === 0 ? null : Buffer.concat(frames);
  }

  watch(wake: () => void): () => void {
    return this.#transitions.watch((actorId) => {
      if (actorId === this.#actorId) wake();
    });
  }
}

/**
 * Follows the transitions of every actor. `actors` says up to which commit everything was sent: at the beginning, and where no
 * transition says so.
 */
class EveryActorFeed implements Feed {
  readonly #transitions: FollowedTransitions;
  readonly #place: Place;
  readonly #every: EveryTransition;
  /** The commit that the client has. */
  #said: number | null = null;

  /** Throws `cursor_past_head`. */
  constructor(transitions: FollowedTransitions, after: number | null, place: Place) {
    if ((after ?? 0) > transitions.newestCommit()) {
      throw new ServiceError('cursor_past_head', 'the ledger has fewer commits');
    }
    this.#transitions = transitions;
    this.#place = place;
    this.#every = transitions.every(after);
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#said === null) return this.#say();
    const transitions = await this.#every.next();
    if (transitions === null) return null;
    // A client that gets a part of it has no more than before.
    const before = this.#place(this.#said);
    const [last, rest] = [transitions.at(-1), transitions.slice(0, -1)];
    if (last === undefined) return this.#said === this.#every.cursor ? new Uint8Array(0) : this.#say();
    this.#said = this.#every.cursor;
    const frames = rest.map((transition) => transitionFrame(transition, before));
    return Buffer.concat([...frames, transitionFrame(last, this.#place(this.#said))]);
  }

  watch(wake: () => void): () => void {
    return this.#transitions.watch((actorId) => {
      this.#every.moved(actorId);
      wake();
    });
  }

  #say(): Uint8Array {
    const commit = this.#every.cursor;
    this.#said = commit;
    const followed: ActorsFollowed = { schema: 'studio.actors-followed.v1', commit };
    return sseFrame({ event: 'actors', id: this.#place(commit) }, followed);
  }
}

const transitionFrame = (transition: StreamedTransition, id: string): Buffer =>
  sseFrame({ event: 'transition', id }, transition);
