// Provides who is signed in. A viewer sees everything and answers nothing: components check this before they offer to.
import { createContext, useContext } from 'react';
import type { MeView } from '../../../src/core/views.ts';

export const Me = createContext<MeView | undefined>(undefined);

export const useMe = (): MeView | undefined => useContext(Me);

export const useMayAnswer = (): boolean => useMe()?.scope === 'operator';
