# Appended to the shell functions of bindings/RECIPES.md: uses each function, and prints the results as JSON.
given() { jq -r "$1" input.json; }
first=$(create_order "$(given '.order | @json')")
again=$(create_order "$(given '.order | @json')")
if rejected=$(create_order "$(given '.invalid | @json')"); then exit 1; fi
id=$(jq .id <<< "$first")
delayed=$(for _ in 1 2; do delay_order "$id" 7 "$(given .key)"; done | jq -cs .)
listed=$(orders 2 | jq -cs 'map(.id)')
types=$(events 2 | jq -cs 'map(.type)')
statuses=$(for index in $(seq 0 $(($(given '.messages | length') - 1))); do
  given ".messages[$index].body" | base64 -d > message
  header() { given ".messages[$index].headers[\"webhook-$1\"] // \"\""; }
  receive "$(given .secret)" "$(header id)" "$(header timestamp)" "$(header signature)" message
done | jq -cs .)
jq -nc --argjson created "[$id, $(jq .id <<< "$again")]" --argjson rejected "$(jq '[.status, .code, (.errors | length)]' <<< "$rejected")" \
  --argjson delayed "$delayed" --argjson listed "$listed" --argjson types "$types" --arg position "$(cat position)" --argjson statuses "$statuses" \
  '$ARGS.named'
