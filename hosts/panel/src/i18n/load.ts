/** The texts of vehicles and loads. */

import type { VehicleKind } from "../api/wire";
import { translated } from "./language";

const en = {
  title: "Vehicle and load",
  hint: "Only couriers whose vehicle carries the order get it. A larger vehicle can have a surcharge.",
  vehicle: "Vehicle",
  permitted: "Permitted vehicles",
  permittedHint: "None selected: every vehicle.",
  names: {
    BICYCLE: "Bicycle",
    SCOOTER: "Scooter",
    MOTORBIKE_BAG: "Motorbike with a bag",
    MOTORBIKE_BOX: "Motorbike with a box",
    CAR: "Car",
    VUC: "Light truck",
  } satisfies Record<VehicleKind, string>,
  unknown: "Use the name of a vehicle, such as CAR. Separate several with spaces.",
  weight: "Weight (kg)",
  volume: "Volume (l)",
  packages: "Packages",
  thermic: "Thermic bag or box",
  cardMachine: "Card machine",
  thermicHint: "Only couriers who have one get the order.",
  allHint: "Of all deliveries together.",
  maxWeight: "Maximum weight (kg)",
  maxVolume: "Maximum volume (l)",
  maxHint: "If empty, the limit of the vehicle.",
};

const pt: typeof en = {
  title: "Veículo e carga",
  hint: "Só entregadores cujo veículo comporta o pedido o recebem. Um veículo maior pode ter acréscimo.",
  vehicle: "Veículo",
  permitted: "Veículos permitidos",
  permittedHint: "Nenhum selecionado: qualquer veículo.",
  names: {
    BICYCLE: "Bicicleta",
    SCOOTER: "Scooter",
    MOTORBIKE_BAG: "Moto com bag",
    MOTORBIKE_BOX: "Moto com baú",
    CAR: "Carro",
    VUC: "VUC",
  },
  unknown: "Use o nome de um veículo, como CAR. Separe vários com espaços.",
  weight: "Peso (kg)",
  volume: "Volume (l)",
  packages: "Pacotes",
  cardMachine: "Maquininha",
  thermic: "Bag ou baú térmico",
  thermicHint: "Só entregadores que têm um recebem o pedido.",
  allHint: "De todas as entregas juntas.",
  maxWeight: "Peso máximo (kg)",
  maxVolume: "Volume máximo (l)",
  maxHint: "Se vazio, vale o limite do veículo.",
};

export const loadTexts = translated(en, pt);
