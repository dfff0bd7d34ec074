//! `cargo run --release -p despacho-bench -- route` and `-- assign`.
#![allow(clippy::print_stdout)]
mod instances;
use despacho_core::route::*;
use instances::*;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let sizes: Vec<usize> = args
        .get(1)
        .map(|s| s.split(',').map(|x| x.parse().unwrap()).collect())
        .unwrap_or(vec![8, 10, 12, 15, 20, 30, 50]);
    let work: u64 = args.get(2).map(|x| x.parse().unwrap()).unwrap_or(50_000_000);
    let reference: u64 = args.get(3).map(|x| x.parse().unwrap()).unwrap_or(0);
    let count: u64 = args.get(4).map(|x| x.parse().unwrap()).unwrap_or(12);
    for n in sizes {
        for kind in KINDS {
            let (mut ms, mut proven, mut gap, mut bgap, mut worst) = (vec![], 0, 0.0, 0.0, 0.0f64);
            for seed in 0..count {
                let p = problem(&matrix(kind, n, seed), seed % 2 == 0).unwrap();
                let mut best = f64::MAX;
                let mut v = None;
                for _ in 0..args.get(5).map_or(3, |x| x.parse().unwrap()) {
                    let t = std::time::Instant::now();
                    v = Some(best_order(&p, Budget::of_work(work)).unwrap());
                    best = best.min(t.elapsed().as_secs_f64() * 1e3);
                }
                let v = v.unwrap();
                if std::env::var("DUMP").is_ok() {
                    println!("RES {n} {} {seed} {} {} {best:.4}", kind.name().replace(' ', "-"), v.cost, v.bound);
                }
                ms.push(best);
                proven += u32::from(v.proven);
                bgap += (v.cost as f64 / v.bound.max(1) as f64 - 1.0) * 100.0;
                worst = worst.max(best);
                if reference > 0 {
                    let r = best_order(&p, Budget::of_work(reference)).unwrap();
                    gap += (v.cost as f64 / r.cost as f64 - 1.0) * 100.0;
                }
            }
            ms.sort_by(f64::total_cmp);
            println!(
                "{n:4} {:12} median {:8.3} max {:8.3} ms  proven {proven}/{count}  bound gap {:.3}%  gap to ref {:.3}%",
                kind.name(),
                ms[ms.len() / 2],
                worst,
                bgap / count as f64,
                gap / count as f64
            );
        }
    }
}
