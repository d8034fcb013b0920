import { failureMessage } from '../contract/base/errors.ts';

/** The logic of an effect that was not provided. */
export const notProvided = (name: string) => async (): Promise<never> => {
  throw new Error(`the actor '${name}' was not provided`);
};

/** What an effect rejected with, in the form of a failure's message. */
export const messageOf = (error: unknown): string =>
  failureMessage(error instanceof Error ? error.message : String(error));
