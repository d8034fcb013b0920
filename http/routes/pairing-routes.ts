import type { Pairings } from '../../actors/operation/pairings.ts';
import { issuedPairingCode, pairing, pairingCodeRequest, pairingRequest } from '../../contract/operation/pairing.ts';
import { json } from '../exchange/description.ts';
import { type Route, write } from '../exchange/route.ts';

/** The routes by which a page without a token gets one. */
export const pairingRoutes = (pairings: Pairings): readonly Route[] => [
  {
    path: '/v1/pairing-codes',
    room: 'operation',
    POST: write({
      id: 'openPairing',
      summary: 'a code with which one page gets a token of its own',
      details: 'It can be used once within five minutes, and ends with the next code or after five wrong ones.',
      request: pairingCodeRequest,
      invalid: 'invalid_pairing_request',
      answers: [json(201, issuedPairingCode)],
      refusals: [],
      handle: () => ({ status: 201, body: pairings.issue() }),
    }),
  },
  {
    path: '/v1/pairings',
    room: 'operation',
    access: 'origin',
    POST: write({
      id: 'pairPage',
      summary: 'exchange a pairing code for a token',
      details: 'The token is of the page alone and ends with the host.',
      request: pairingRequest,
      invalid: 'invalid_pairing_request',
      answers: [json(201, pairing)],
      refusals: ['pairing_refused'],
      handle: ({ body }) => ({ status: 201, body: pairings.exchange(body.code) }),
    }),
  },
];
